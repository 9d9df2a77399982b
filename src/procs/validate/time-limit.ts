/**
 * For how long an attempt may run. Whoever exceeds it is said to hang, which may be told as harm, so that
 * only the program's own time may count: neither that for building its sandbox, nor that for putting away
 * what it has left.
 *
 *   building … │ running ………………………………………… │ clearing …
 *              └─ as long as this lasts, time may be up: then the program is ended
 *
 * When exactly it begins is not known here. If it has not when time is up, it gets all of it once more.
 */
import type { RecordingControl } from '../recorder/control.ts';

export class TimeLimit {
  readonly #control: RecordingControl;
  readonly #milliseconds: number;
  readonly #end: () => void;
  #timer: NodeJS.Timeout;
  #wasExceeded = false;

  constructor(control: RecordingControl, milliseconds: number, end: () => void) {
    this.#control = control;
    this.#milliseconds = milliseconds;
    this.#end = end;
    this.#timer = this.#start();
  }

  get wasExceeded(): boolean {
    return this.#wasExceeded;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#check(), this.#milliseconds);
  }

  #check(): void {
    if (this.#control.hasEnded) return;
    if (this.#control.alive === undefined) {
      this.#timer = this.#start();
      return;
    }
    this.#wasExceeded = true;
    this.#end();
  }
}
