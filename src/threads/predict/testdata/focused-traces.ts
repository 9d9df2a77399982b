/**
 * Random traces about one thing at a time, between few threads: so that locks are fought for, and what a
 * detector does with barriers or atomics is not lost among all else. Each event is at a site of its own.
 */
import type fc from 'fast-check';
import { Op } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';
import { play, wishes } from '../../std/testdata/random-trace.ts';
import { unfolded } from './events.ts';

const ACCESSES = [Op.read, Op.write];
const LOCKS = [Op.acquire, Op.release];

const ABOUT: Readonly<Record<string, readonly Op[]>> = {
  locks: LOCKS,
  'readers and writers': [...LOCKS, Op.acquireShared, Op.releaseShared],
  threads: [...LOCKS, Op.fork, Op.fork, Op.join],
  conditions: [...LOCKS, Op.waitBegin, Op.waitEnd, Op.signal],
  semaphores: [Op.post, Op.waitDone],
  barriers: [Op.arrive, Op.arrive, Op.leave, Op.leave],
  once: [Op.onceBegin, Op.onceEnd, Op.oncePass],
  atomics: [...LOCKS, Op.atomicRead, Op.atomicWrite, Op.atomicUpdate],
};

export function focusedTraces(length: number): [name: string, traces: fc.Arbitrary<ThreadTrace>][] {
  return Object.entries(ABOUT).map(([name, ops]) => {
    const lists = wishes([...ACCESSES, ...ops], length);
    return [name, lists.map((list) => unfolded(play(list.map(amongFew))))];
  });
}

function amongFew<Wish extends { thread: number; target: number }>(wish: Wish): Wish {
  return { ...wish, thread: wish.thread % 3, target: wish.target % 2 };
}
