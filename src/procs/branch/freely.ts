/** Lets everybody go on at once: a run that nobody conducts, under the same conditions as the others. */
import type { Tid } from '../../linux/ids.ts';
import type { Conductor, Release } from '../recorder/conductor.ts';

export class Freely implements Conductor {
  #released: Release[] = [];

  begins(): void {}

  mayPass(): boolean {
    return false;
  }

  enters(task: Tid): void {
    this.#released.push({ task });
  }

  left(): boolean {
    return true;
  }

  forked(): void {}

  execed(): void {}

  renamed(): void {}

  signalled(task: Tid, signal: number): void {
    this.#released.push({ task, signal });
  }

  exits(task: Tid): void {
    this.#released.push({ task });
  }

  gone(): void {}

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): undefined {
    return undefined;
  }

  stalled(): void {}

  abandon(): void {}

  hasGivenUp(): boolean {
    return false;
  }
}
