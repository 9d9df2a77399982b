/**
 * A thread trace as predictors are measured on: threads that read and write variables of their own and
 * shared ones, in and out of critical sections, in one possible order. The same numbers come every time.
 * It is well formed: a lock has one holder, and all threads but the first are forked and joined.
 */
import { NONE, Op } from '../src/threads/model/op.ts';
import type { ThreadTraceBuilder } from '../src/threads/model/trace.ts';

export interface SyntheticTrace {
  readonly events: number;
  readonly threads: number;
  readonly locks: number;
  readonly variables: number;
  readonly sites: number;
  /** How many of the events are acquires. */
  readonly acquires: number;
}

export const USUAL: Omit<SyntheticTrace, 'events'> = {
  threads: 8,
  locks: 16,
  variables: 10_000,
  sites: 2000,
  acquires: 0.05,
};

export function buildSynthetic(shape: SyntheticTrace, into: ThreadTraceBuilder): void {
  const { tables } = into;
  for (let i = 0; i < shape.threads; i++) {
    tables.threads.add({ name: `T${i}`, process: 0, tid: 0 });
  }
  for (let i = 0; i < shape.locks; i++) {
    tables.locks.add({ kind: 'mutex', address: 0, symbol: `L${i}` });
  }
  for (let i = 0; i < shape.variables; i++) {
    tables.variables.add({ address: 0, size: 0, allocation: NONE, symbol: `V${i}` });
  }
  for (let i = 0; i < shape.sites; i++) {
    tables.sites.add({ module: NONE, address: i, function: '', file: '', line: 0 });
  }
  const below = randomNumbers();
  const others = Array.from({ length: shape.threads - 1 }, (_, i) => i + 1);
  for (const thread of others) into.append(0, Op.fork, thread, 0);
  appendWork(shape, below, into);
  for (const thread of others) into.append(0, Op.join, thread, 1);
}

function appendWork(
  { events, threads, locks, variables, sites, acquires }: SyntheticTrace,
  below: (limit: number) => number,
  into: ThreadTraceBuilder,
): void {
  const holders = new Int32Array(locks).fill(-1);
  const held = new Int32Array(threads).fill(-1);
  let left = events - 2 * (threads - 1);
  const release = (thread: number): void => {
    into.append(thread, Op.release, held[thread]!, below(sites));
    holders[held[thread]!] = -1;
    held[thread] = -1;
    left--;
  };
  while (left > threads) {
    const thread = below(threads);
    const lock = below(locks);
    const chance = below(1 << 20) / (1 << 20);
    if (held[thread]! >= 0 && chance < 2 * acquires) {
      release(thread);
    } else if (held[thread]! < 0 && holders[lock]! < 0 && chance < 2 * acquires) {
      holders[lock] = thread;
      held[thread] = lock;
      into.append(thread, Op.acquire, lock, below(sites));
      left--;
    } else {
      const op = below(4) === 0 ? Op.write : Op.read;
      into.append(thread, op, below(below(variables) + 1), below(sites));
      left--;
    }
  }
  for (let thread = 0; thread < threads; thread++) if (held[thread]! >= 0) release(thread);
  while (left > 0) {
    into.append(0, Op.read, below(variables), below(sites));
    left--;
  }
}

function randomNumbers(): (limit: number) => number {
  let state = 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
