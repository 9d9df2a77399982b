/**
 * Whether a program still moves by itself, while some of its threads are kept from moving. Of its other
 * threads,
 *
 *   one computes, or waits for a processor or a disk      it moves, however slowly
 *   one sleeps for a time, in nanosleep                   it will move
 *   one has run since we looked last                      it moves, say from one poll to the next
 *   all sleep in a lock, a join, a read                   it does not, and perhaps never will
 *
 * So a busy machine makes nothing look stalled.
 */
import type { Tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { activityOf, runsOf, sleepsInCall } from '../../linux/task-state.ts';

const TIMED_SLEEPS: ReadonlySet<number> = new Set(
  ['nanosleep', 'clock_nanosleep'].map(syscallNumber),
);

export class Liveliness {
  #lastRuns = new Map<Tid, string>();

  /** Whether one of these has moved since the last call, moves, or is about to. */
  isMoving(tasks: Iterable<Tid>): boolean {
    const runs = new Map<Tid, string>();
    let moves = false;
    for (const task of tasks) {
      const run = runsOf(task);
      runs.set(task, run);
      const hasRun = this.#lastRuns.get(task) !== run;
      if (moves || hasRun || isAboutToMove(task)) moves = true;
    }
    this.#lastRuns = runs;
    return moves;
  }
}

function isAboutToMove(task: Tid): boolean {
  if (activityOf(task) !== 'other') return true;
  const call = sleepsInCall(task);
  return call !== undefined && TIMED_SLEEPS.has(call);
}
