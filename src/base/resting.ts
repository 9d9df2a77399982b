/**
 * Work that rests now and then. It is written as a generator that yields for how many milliseconds
 * it has nothing to do; who runs it decides what happens meanwhile: nothing, or the event loop.
 *
 *   function* untilThere(): Resting<Buffer> {
 *     for (;;) { … if (found) return found; yield 3; }
 *   }
 *   const found = blocking(untilThere());          // in a thread of its own
 *   const found = await awaiting(untilThere());    // beside timers and signals
 */
import { setTimeout } from 'node:timers/promises';
import { blockFor } from './block.ts';

export type Resting<T> = Generator<number, T, void>;

export function blocking<T>(work: Resting<T>): T {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    blockFor(step.value);
  }
}

/** `rest` may also end sooner. */
export async function awaiting<T>(
  work: Resting<T>,
  rest: (milliseconds: number) => Promise<void> = setTimeout,
): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    await rest(step.value);
  }
}
