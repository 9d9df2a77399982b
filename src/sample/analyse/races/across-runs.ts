/**
 * Races of globals whose sides were seen in different runs of the same build: one run has shown who writes, another
 * who reads. What orders them is known of no run that has shown both, so this asks for more: other threads were
 * there on either side, the sites belong to different threads, or to several, and no run has shown both sides, for
 * then that run has judged them.
 */
import type { PlaceTable } from '../code/place-table.ts';
import { mayRace } from './conflict.ts';
import type { FoundPairs, PairSide } from './found-pairs.ts';

export interface SeenSide extends PairSide {
  readonly run: number;
  readonly mask: number;
  /** What the process calls the thread: 1 for the first. */
  readonly threadNumber: number;
  /** The locks by names that mean the same in all runs; undefined if one of them has none. */
  readonly lockNames: readonly string[] | undefined;
}

/** Of one object, those that are alike count as one. */
const MOST_SIDES = 64;

export class AcrossRuns {
  readonly #sides = new Map<string, Map<string, SeenSide>>();

  note(objectKey: string, side: SeenSide): void {
    let sides = this.#sides.get(objectKey);
    if (sides === undefined) {
      sides = new Map();
      this.#sides.set(objectKey, sides);
    }
    const { site, process, threadNumber, lockset, mask } = side;
    const key = `${site} ${process} ${threadNumber} ${lockset} ${mask}`;
    const known = sides.get(key);
    if (known) for (const [one, count] of side.samples) known.samples.set(one, count);
    else if (sides.size < MOST_SIDES) sides.set(key, side);
  }

  addTo(found: FoundPairs, table: PlaceTable): void {
    for (const [key, sides] of this.#sides) {
      const all = [...sides.values()];
      for (const [at, one] of all.entries()) {
        for (const other of all.slice(at + 1)) {
          if (found.has(key, one.site, other.site) || !areRivals(one, other, all, table)) continue;
          found.add({
            object: { key, blockStart: -1, blockSize: 0 },
            sides: [{ ...one }, { ...other }],
            instances: 1,
            changes: 0,
            nearest: Number.POSITIVE_INFINITY,
            runs: new Set([one.run, other.run]),
            isAcrossRuns: true,
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
