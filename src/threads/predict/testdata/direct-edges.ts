/**
 * What the order of a trace is made of, by the book and without haste: for two events, whether the earlier
 * one comes before the later one directly, because of what they do.
 */
import { Op } from '../../model/op.ts';
import type { Event } from './events.ts';

/** The order that no other order of the same events can do without, and that of conditions and the like. */
export function isKept(events: readonly Event[], i: number, j: number): boolean {
  const [one, two] = [events[i]!, events[j]!];
  if (one.thread === two.thread) return true;
  if (one.op === Op.fork && one.target === two.thread) return true;
  if (two.op === Op.join && two.target === one.thread) return true;
  // A thread may be joined without having done anything.
  if (one.op === Op.fork && two.op === Op.join && one.target === two.target) return true;
  if (one.op === Op.fork || two.op === Op.join) return false;
  if (two.op === Op.onceBegin && one.thread === givenUpBy(events, j)) return true;
  if (one.target !== two.target) return false;
  if (one.op === Op.signal || one.op === Op.broadcast) {
    return two.op === Op.waitEnd && i > beginOfWait(events, j);
  }
  if (one.op === Op.post) return two.op === Op.waitDone;
  if (one.op === Op.onceEnd) return two.op === Op.oncePass || two.op === Op.onceBegin;
  if (one.op === Op.arrive && two.op === Op.leave) return isSameRound(events, i, j);
  if (one.op === Op.leave && two.op === Op.arrive) return isFirstOfRound(events, i);
  return false;
}

export function isByLock(events: readonly Event[], i: number, j: number): boolean {
  const [one, two] = [events[i]!, events[j]!];
  if (one.target !== two.target) return false;
  if (one.op === Op.release) return two.op === Op.acquire || two.op === Op.acquireShared;
  return one.op === Op.releaseShared && two.op === Op.acquire;
}

/** Whether the later one reads atomically what the earlier one stored atomically. */
export function isByAtomic(events: readonly Event[], i: number, j: number): boolean {
  const [one, two] = [events[i]!, events[j]!];
  const isAtomicStore = ({ op, target }: Event): boolean =>
    target === two.target && (op === Op.atomicWrite || op === Op.atomicUpdate);
  if (two.op !== Op.atomicRead && two.op !== Op.atomicUpdate) return false;
  return isAtomicStore(one) && !events.slice(i + 1, j).some(isAtomicStore);
}

/** Whose initialisation had begun and not ended when another one began. */
function givenUpBy(events: readonly Event[], begin: number): number | undefined {
  const { target } = events[begin]!;
  const isAbout = (one: Event): boolean =>
    one.target === target && (one.op === Op.onceBegin || one.op === Op.onceEnd);
  const last = events.slice(0, begin).findLast(isAbout);
  return last?.op === Op.onceBegin ? last.thread : undefined;
}

/** Where the wait that ends here began; -1 if that is not in the trace. */
function beginOfWait(events: readonly Event[], end: number): number {
  const { thread, target } = events[end]!;
  const isOwn = (one: Event): boolean =>
    one.thread === thread &&
    one.target === target &&
    (one.op === Op.waitBegin || one.op === Op.waitEnd);
  const place = events.slice(0, end).findLastIndex(isOwn);
  return place >= 0 && events[place]!.op === Op.waitBegin ? place : -1;
}

/** By event, the round of a barrier that it is of; a round ends when the first of it leaves. */
function roundsOf(
  events: readonly Event[],
  barrier: number,
): { rounds: Map<number, number>; first: Set<number> } {
  const rounds = new Map<number, number>();
  const first = new Set<number>();
  const current = new Map<number, number>();
  let round = 0;
  for (const [i, { thread, op, target }] of events.entries()) {
    if (target !== barrier) continue;
    if (op === Op.arrive) {
      rounds.set(i, round);
      current.set(thread, round);
    } else if (op === Op.leave) {
      const own = current.get(thread);
      current.delete(thread);
      if (own !== undefined) rounds.set(i, own);
      if (own !== round) continue;
      first.add(i);
      round++;
    }
  }
  return { rounds, first };
}

/** Who leaves without having arrived is of every round. */
function isSameRound(events: readonly Event[], arrive: number, leave: number): boolean {
  const { rounds } = roundsOf(events, events[arrive]!.target);
  const round = rounds.get(leave);
  return round === undefined || rounds.get(arrive) === round;
}

function isFirstOfRound(events: readonly Event[], leave: number): boolean {
  return roundsOf(events, events[leave]!.target).first.has(leave);
}
