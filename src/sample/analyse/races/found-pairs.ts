/** Pairs of sites that race, over all granules, processes and runs: one for each pair and thing they are about. */
import type { AccessClass } from './access-classes.ts';

export interface PairSide {
  readonly site: number;
  /** Of an example: which process, thread and locks. */
  readonly process: number;
  readonly thread: number;
  readonly lockset: number;
  readonly address: number;
  /** Those that take part, with their processes. */
  readonly classes: Map<AccessClass, number>;
}

/** One sample may tell of many accesses, as in a loop over a buffer, and counts once. */
export const samplesOf = ({ classes }: PairSide): number => distinctSamples([...classes]);

/** Without those that have only come there by being followed. */
export const plannedSamplesOf = ({ classes }: PairSide): number =>
  distinctSamples([...classes].filter(([{ isFollowed }]) => !isFollowed));

function distinctSamples(classes: readonly (readonly [AccessClass, number])[]): number {
  const seen = new Set<number>();
  for (const [{ samples }, process] of classes) {
    for (const sample of samples) seen.add(process * 2 ** 32 + sample);
  }
  return seen.size;
}

export interface PairObject {
  /** The same for the same thing in all runs; of the heap, all blocks are one. */
  readonly key: string;
  readonly blockStart: number;
  readonly blockSize: number;
}

export interface FoundPair {
  readonly object: PairObject;
  readonly sides: readonly [PairSide, PairSide];
  /**
   * Blocks in which it was seen, by number, or granules of what is none, by negative ones; and how often another thread
   * came there than the one before. Who goes through all of a block comes once: the most of any granule counts.
   */
  readonly blocks: Map<number, number>;
  /** In nanoseconds, between two accesses that nothing orders; infinite if they are of different runs. */
  nearest: number;
  /** Runs in which it was seen. */
  readonly runs: Set<number>;
  /** Its sides were never seen in the same run. */
  readonly isAcrossRuns: boolean;
  /** One side came after the other without having taken a lock in between, by which it could have been handed over. */
  isQuiet: boolean;
  /** Somebody has changed the same bytes by an atomic instruction. */
  isAtomicElsewhere: boolean;
}

export function addBlocks(to: Map<number, number>, blocks: ReadonlyMap<number, number>): void {
  for (const [block, changes] of blocks) to.set(block, Math.max(changes, to.get(block) ?? 0));
}

/** In all blocks; granules of one array may have been gone through together, and the most of them counts. */
export function changesOf({ blocks }: FoundPair): number {
  let [ofBlocks, ofGranules] = [0, 0];
  for (const [block, changes] of blocks) {
    if (block > 0) ofBlocks += changes;
    else ofGranules = Math.max(ofGranules, changes);
  }
  return ofBlocks + ofGranules;
}

export class FoundPairs {
  readonly #pairs = new Map<string, FoundPair>();

  get all(): FoundPair[] {
    return [...this.#pairs.values()];
  }

  add(found: FoundPair): void {
    const [one, other] = found.sides;
    const isInOrder = one.site <= other.site;
    const [first, second] = isInOrder ? [one, other] : [other, one];
    const key = `${found.object.key} ${first.site} ${second.site}`;
    const known = this.#pairs.get(key);
    if (known === undefined) {
      this.#pairs.set(key, { ...found, sides: [first, second] });
      return;
    }
    for (const [one, process] of first.classes) known.sides[0].classes.set(one, process);
    for (const [one, process] of second.classes) known.sides[1].classes.set(one, process);
    addBlocks(known.blocks, found.blocks);
    known.nearest = Math.min(known.nearest, found.nearest);
    known.isQuiet ||= found.isQuiet;
    known.isAtomicElsewhere ||= found.isAtomicElsewhere;
    for (const run of found.runs) known.runs.add(run);
  }

  has(objectKey: string, one: number, other: number): boolean {
    return this.#pairs.has(`${objectKey} ${Math.min(one, other)} ${Math.max(one, other)}`);
  }
}
