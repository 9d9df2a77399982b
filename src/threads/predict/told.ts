/**
 * What those before have told to whoever hears it, such as the next holder of a lock: the last moment, and
 * what that did not know of the moments before it. With a mutex each holder knows the one before it, so
 * one moment is all; two posts to a semaphore need not know of each other.
 */
import type { Clock, Moment, ThreadClocks } from './clocks.ts';
import { raise, raiseOne } from './clocks.ts';

export class Told {
  #last: Moment | undefined;
  #further: Clock | undefined;

  tell(moment: Moment): void {
    const last = this.#last;
    this.#last = moment;
    if (last === undefined || last.thread === moment.thread) return;
    if ((moment.others[last.thread] ?? 0) >= last.index) return;
    this.#further ??= [];
    raise(this.#further, last.others);
    raiseOne(this.#further, last.thread, last.index);
  }

  hear(clocks: ThreadClocks, thread: number): void {
    if (this.#further !== undefined) clocks.learnAll(thread, this.#further);
    if (this.#last !== undefined) clocks.learn(thread, this.#last);
  }
}
