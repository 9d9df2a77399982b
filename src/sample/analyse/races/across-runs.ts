/**
 * Races of globals whose sides were seen in different runs of the same build: one run has shown who writes, another
 * who reads. What orders them is known of no run that has shown both, so this asks for more: other threads were
 * there on either side, the sites belong to different threads, or to several, and no run has shown both sides, for
 * then that run has judged them. And each side's thread must have been there while the other side was seen: what is
 * done before a thread is made comes before all that it does.
 *
 *   run 1   thread 1 writes while there are 1 to 4      thread 6 of run 2 reads: the write comes first
 *   run 1   thread 1 writes while there are 1 to 8      thread 6 of run 2 reads: nothing orders them
 *
 * Nor may either thread have waited for another one before, by a condition, epoll or a join: in a run that shows
 * both sides, the one may have handed the thing over to the other so.
 */
import type { PlaceTable } from '../code/place-table.ts';
import { mayRace } from './conflict.ts';
import { lowestByte } from './find-races.ts';
import type { FoundPairs, PairSide } from './found-pairs.ts';

export interface SeenSide extends PairSide {
  readonly run: number;
  readonly mask: number;
  /** What the process calls the thread: 1 for the first. */
  readonly threadNumber: number;
  /** The highest of these numbers while it was seen. */
  started: number;
  /** Whether its thread had waited for another one by then. */
  readonly hasMet: boolean;
  /** The locks by names that mean the same in all runs; undefined if one of them has none. */
  readonly lockNames: readonly string[] | undefined;
  /** What a byte of the granule is called in all runs. */
  keyOf(byte: number): string;
}

/** Of one object, those that are alike count as one. */
const MOST_SIDES = 64;

export class AcrossRuns {
  readonly #sides = new Map<string, Map<string, SeenSide>>();

  /** `granule`: what it is called in all runs. */
  note(granule: string, side: SeenSide): void {
    let sides = this.#sides.get(granule);
    if (sides === undefined) {
      sides = new Map();
      this.#sides.set(granule, sides);
    }
    const { site, process, threadNumber, lockset, mask, hasMet } = side;
    const key = `${site} ${process} ${threadNumber} ${lockset} ${mask} ${hasMet}`;
    const known = sides.get(key);
    if (known) {
      for (const [one, process] of side.classes) known.classes.set(one, process);
      known.started = Math.max(known.started, side.started);
    } else if (sides.size < MOST_SIDES) sides.set(key, side);
  }

  addTo(found: FoundPairs, table: PlaceTable): void {
    for (const sides of this.#sides.values()) {
      const all = [...sides.values()];
      for (const [at, one] of all.entries()) {
        for (const other of all.slice(at + 1)) {
          if (!areRivals(one, other, all, table)) continue;
          const key = one.keyOf(lowestByte(one.mask & other.mask));
          if (found.has(key, one.site, other.site)) continue;
          found.add({
            object: { key, blockStart: -1, blockSize: 0 },
            sides: [{ ...one }, { ...other }],
            blocks: new Map([[0, 0]]),
            nearest: Number.POSITIVE_INFINITY,
            runs: new Set([one.run, other.run]),
            isAcrossRuns: true,
            isQuiet: false,
            isAtomicElsewhere: false,
          });
        }
      }
    }
  }
}

function areRivals(
  one: SeenSide,
  other: SeenSide,
  all: readonly SeenSide[],
  table: PlaceTable,
): boolean {
  if (one.process === other.process || (one.mask & other.mask) === 0) return false;
  if (one.hasMet || other.hasMet) return false;
  if (one.started < other.threadNumber || other.started < one.threadNumber) return false;
  if (!mayRace(table.siteFlags.at(one.site), table.siteFlags.at(other.site))) return false;
  const processesOf = (site: number): Set<number> =>
    new Set(all.filter((side) => side.site === site).map(({ process }) => process));
  const others = processesOf(other.site);
  if ([...processesOf(one.site)].some((process) => others.has(process))) return false;
  const threadsOf = (site: number): Set<number> =>
    new Set(all.filter((side) => side.site === site).map(({ threadNumber }) => threadNumber));
  if (new Set([...threadsOf(one.site), ...threadsOf(other.site)]).size < 2) return false;
  return areSurelyUnprotected(one.lockNames, other.lockNames);
}

function areSurelyUnprotected(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  if (one?.length === 0 || other?.length === 0) return true;
  return one !== undefined && other !== undefined && !one.some((lock) => other.includes(lock));
}
