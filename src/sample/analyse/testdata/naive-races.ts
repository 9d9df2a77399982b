/**
 * Races in a short history, found by trying all pairs: what the analysis of logs is compared with. Nothing here is
 * clever; order is a path from one event to the other, and blocks are looked for from the beginning each time.
 */
import type { WrittenSite } from './written-run.ts';

export type HistoryEvent = { readonly time: number; readonly thread: number } & (
  | {
      readonly kind: 'touch';
      readonly site: WrittenSite;
      readonly address: number;
      readonly locks: readonly number[];
    }
  | { readonly kind: 'post' | 'wait'; readonly object: number }
  /** Somewhere between its time and `until`. */
  | {
      readonly kind: 'allocate';
      readonly address: number;
      readonly size: number;
      readonly until: number;
    }
  | { readonly kind: 'free'; readonly address: number; readonly until: number }
  /** For all threads, from then until a while later. */
  | { readonly kind: 'gap'; readonly until: number }
);

type Touch = Extract<HistoryEvent, { kind: 'touch' }>;
type Renewal = {
  time: number;
  until: number;
  thread: number;
  start: number;
  end: number;
  isBlock: boolean;
};

/** As `heap store ‖ load` or `0x1234 store ‖ load`, sorted. */
export function naiveRaces(history: readonly HistoryEvent[]): string[] {
  const renewals = renewalsIn(history);
  const touches = history.filter((one) => one.kind === 'touch');
  const found = new Set<string>();
  for (const one of touches) {
    for (const other of touches) {
      if (one.time >= other.time || !isRace(history, touches, renewals, one, other)) continue;
      const block = lastBefore(renewals, one);
      const object = block?.isBlock ? 'heap' : `0x${one.address.toString(16)}`;
      found.add(`${object} ${[one.site, other.site].sort().join(' ‖ ')}`);
    }
  }
  return [...found].sort();
}

function isRace(
  history: readonly HistoryEvent[],
  touches: readonly Touch[],
  renewals: readonly Renewal[],
  one: Touch,
  other: Touch,
): boolean {
  if (one.thread === other.thread || one.address !== other.address) return false;
  if (!doConflict(one.site, other.site) || haveLock(one.locks, other.locks)) return false;
  if (!areTogether(history, renewals, one, other)) return false;
  if (leadsTo(history, one, other)) return false;
  const life = touches.filter(
    (touch) => touch.address === one.address && areTogether(history, renewals, touch, one),
  );
  return (
    isContested(life, one) && isContested(life, other) && overlap(life, one.thread, other.thread)
  );
}

function doConflict(one: WrittenSite, other: WrittenSite): boolean {
  const writes = (site: WrittenSite): boolean => !/load/i.test(site);
  if (one === 'atomic' && other === 'atomic') return false;
  if (one === 'atomic' || other === 'atomic') return writes(one) && writes(other);
  return writes(one) || writes(other);
}

const haveLock = (one: readonly number[], other: readonly number[]): boolean =>
  one.some((mine) =>
    other.some((theirs) =>
      mine - (mine % 2) === theirs - (theirs % 2) && mine % 2 && theirs % 2
        ? false
        : mine - (mine % 2) === theirs - (theirs % 2),
    ),
  );

function renewalsIn(history: readonly HistoryEvent[]): Renewal[] {
  const renewals: Renewal[] = [];
  const live = new Map<number, number>();
  for (const event of history) {
    if (event.kind === 'allocate') {
      const { time, until, thread, address: start, size } = event;
      renewals.push({ time, until, thread, start, end: start + size, isBlock: true });
      live.set(start, start + size);
    } else if (event.kind === 'free' && live.has(event.address)) {
      const { time, until, thread, address: start } = event;
      renewals.push({ time, until, thread, start, end: live.get(start)!, isBlock: false });
      live.delete(start);
    }
  }
  return renewals;
}

const covers = ({ start, end }: Renewal, address: number): boolean =>
  address >= start && address < end;

const lastBefore = (renewals: readonly Renewal[], { address, time }: Touch): Renewal | undefined =>
  renewals.filter((one) => covers(one, address) && one.time < time).at(-1);

/** In the same life of the same memory, both for certain, with nothing missed in between. */
function areTogether(
  history: readonly HistoryEvent[],
  renewals: readonly Renewal[],
  one: Touch,
  other: Touch,
): boolean {
  const [from, to] = [Math.min(one.time, other.time), Math.max(one.time, other.time)];
  const isCertain = (touch: Touch): boolean =>
    !renewals.some(
      (renewal) =>
        covers(renewal, touch.address) &&
        renewal.thread !== touch.thread &&
        renewal.time <= touch.time &&
        touch.time <= renewal.until,
    ) &&
    !history.some(
      (event) => event.kind === 'gap' && event.time < touch.time && touch.time < event.until,
    );
  const isBetween = ({ time }: { time: number }): boolean => time > from && time < to;
  return (
    isCertain(one) &&
    isCertain(other) &&
    !renewals.some((renewal) => covers(renewal, one.address) && isBetween(renewal)) &&
    !history.some((event) => event.kind === 'gap' && isBetween(event))
  );
}

/** By a thread's own order, and from each post to all later waits. */
function leadsTo(
  history: readonly HistoryEvent[],
  one: HistoryEvent,
  other: HistoryEvent,
): boolean {
  const reached = new Set([one]);
  for (const event of history) {
    const isReached = [...reached].some(
      (before) =>
        before.time < event.time &&
        (before.thread === event.thread ||
          (before.kind === 'post' && event.kind === 'wait' && before.object === event.object)),
    );
    if (isReached && event.kind !== 'gap') reached.add(event);
  }
  return reached.has(other);
}

/** Neither among the first of one thread alone, nor among the last, and in four turns at least. */
function isContested(life: readonly Touch[], touch: Touch): boolean {
  const threads = life.map(({ thread }) => thread).join('');
  const turns = threads.match(/(.)\1*/g) ?? [];
  const [first, last] = [turns[0]?.length ?? 0, turns.at(-1)?.length ?? 0];
  const at = life.indexOf(touch);
  return turns.length >= 4 && at >= first && at < threads.length - last;
}

function overlap(life: readonly Touch[], one: number, other: number): boolean {
  const times = (thread: number): number[] =>
    life.filter((touch) => touch.thread === thread).map(({ time }) => time);
  const [mine, theirs] = [times(one), times(other)];
  return Math.min(...mine) < Math.max(...theirs) && Math.min(...theirs) < Math.max(...mine);
}
