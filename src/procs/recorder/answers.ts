/**
 * Whoever gives a program what it was given before, in place of what the kernel has just made up for
 * it: random bytes, the time. The recorder asks at the end of each call that may be one of these.
 */
import type { Tid } from '../../linux/ids.ts';

export interface Answers {
  /** Calls at which everybody has to be stopped for this. */
  readonly numbers: ReadonlySet<number>;
  begins(root: Tid): void;
  forked(parent: Tid, child: Tid): void;
  /** It runs another program; `former` is the number that it had before. */
  execed(task: Tid, former: Tid): void;
  gone(task: Tid): void;
  /** Whether there may be something to give at the end of this call. */
  mayAnswer(task: Tid, number: number, args: readonly number[]): boolean;
  /** Whether it will ask for nothing more in the program that it runs, if it does what it did before. */
  isDoneWith(task: Tid): boolean;
  /** The task stands at its end; what the result is to be. */
  answer(task: Tid, number: number, args: readonly number[], result: number): number;
}
