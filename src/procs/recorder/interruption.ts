/**
 * Ctrl-C and its relatives while a program is being recorded. The first one is passed on, and
 * whatever has not ended two seconds later is killed; the second one kills at once. What was
 * recorded until then is kept.
 */
import type { Tid } from '../../linux/ids.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import type { RecordingControl } from './control.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const GRACE_MS = 2000;

export class Interruption {
  readonly #control: RecordingControl;
  #timer: NodeJS.Timeout | undefined;
  readonly #handlers = SIGNALS.map((name) => [name, () => this.#interrupt(Signal[name])] as const);

  constructor(control: RecordingControl) {
    this.#control = control;
    for (const [name, handler] of this.#handlers) process.on(name, handler);
  }

  stopListening(): void {
    clearTimeout(this.#timer);
    for (const [name, handler] of this.#handlers) process.off(name, handler);
  }

  #interrupt(signal: number): void {
    if (this.#control.interruptedBy !== undefined) return this.#killTree();
    this.#control.interruptedBy = signal;
    // On a terminal the program got it too; a second SIGINT does no harm.
    this.#send(signal);
    this.#timer = setTimeout(() => this.#killTree(), GRACE_MS);
  }

  /** The killed task's stop wakes the recording thread, which then kills all the others. */
  #killTree(): void {
    this.#control.demandEnd();
    this.#send(Signal.SIGKILL);
  }

  #send(signal: number): void {
    const task: Tid | undefined = this.#control.alive;
    if (task === undefined) return;
    try {
      sendSignal(task, signal);
    } catch {
      // Already gone: then the recording thread is awake anyway.
    }
  }
}
