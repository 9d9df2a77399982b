/**
 * Accesses of one granule that are alike: by the same thread, at the same site, to the same bytes, under the same
 * locks, and all of them told by samples in the same way. A granule may have millions of accesses, but few such classes; of each, what matters is when (in which
 * segments of the thread's order) and how often.
 */
import { AccessFlag, type AccessTable, type Contexts } from '../memory/access-table.ts';

/** More than so many segments tell nothing new: every second one is forgotten then. */
const MOST_SEGMENTS = 64;
const SITES = 2 ** 24;
const MASKS = 256;

export interface AccessClass {
  readonly thread: number;
  readonly lockset: number;
  readonly site: number;
  readonly mask: number;
  readonly isOwnStack: boolean;
  /** Samples have come there by being followed. */
  readonly isFollowed: boolean;
  /** Those that tell of it, by number, in order. */
  readonly samples: number[];
  /** The highest number of a thread that was there at the last of them. */
  started: number;
  /** In the order of their times. */
  readonly segments: number[];
  /** Of the first access in each of them, and of the last. */
  readonly firstTimes: number[];
  readonly lastTimes: number[];
}

/** `accesses`: in the order of their times. `visit` is called with each, and the class that it belongs to. */
export function accessClasses(
  table: AccessTable,
  contexts: Contexts,
  accesses: Uint32Array,
  visit: (access: number, found: AccessClass) => void = () => undefined,
): AccessClass[] {
  const classes = new Map<number, AccessClass>();
  for (const access of accesses) {
    const context = table.contexts.at(access);
    const [site, mask] = [table.sites.at(access), table.masks.at(access)];
    const flags = table.flags.at(access);
    const isFollowed = (flags & AccessFlag.followed) !== 0;
    const key = ((context * SITES + site) * 2 + Number(isFollowed)) * MASKS + mask;
    let found = classes.get(key);
    if (found === undefined) {
      found = {
        thread: contexts.threads[context]!,
        lockset: contexts.locksets[context]!,
        ...{ site, mask },
        isOwnStack: (flags & AccessFlag.ownStack) !== 0,
        ...{ isFollowed, started: 0, samples: [] },
        ...{ segments: [], firstTimes: [], lastTimes: [] },
      };
      classes.set(key, found);
    }
    found.started = table.started.at(access);
    const sample = table.samples.at(access);
    if (found.samples.at(-1) !== sample) found.samples.push(sample);
    note(found, table.segments.at(access), table.times.at(access));
    visit(access, found);
  }
  return [...classes.values()];
}

function note(found: AccessClass, segment: number, time: number): void {
  const { segments, firstTimes, lastTimes } = found;
  if (segments.at(-1) !== segment) {
    if (segments.length === MOST_SEGMENTS) {
      for (const list of [segments, firstTimes, lastTimes]) keepEverySecond(list);
    }
    segments.push(segment);
    firstTimes.push(time);
    lastTimes.push(time);
  } else lastTimes[lastTimes.length - 1] = time;
}

function keepEverySecond(list: number[]): void {
  for (let at = 0; 2 * at < list.length; at++) list[at] = list[2 * at]!;
  list.length = Math.ceil(list.length / 2);
}
