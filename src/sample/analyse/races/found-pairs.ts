/** Pairs of sites that race, over all granules, processes and runs: one for each pair and thing they are about. */
import type { AccessClass } from './access-classes.ts';

export interface PairSide {
  readonly site: number;
  /** Of an example: which process, thread and locks. */
  readonly process: number;
  readonly thread: number;
  readonly lockset: number;
  readonly address: number;
  /** How many samples each class of accesses has that takes part: see `samplesOf`. */
  readonly samples: Map<AccessClass, number>;
}

/** A class that takes part in several pairs counts once. */
export const samplesOf = ({ samples }: PairSide): number =>
  [...samples.values()].reduce((sum, count) => sum + count, 0);

export interface PairObject {
  /** The same for the same thing in all runs; of the heap, all blocks are one. */
  readonly key: string;
  readonly blockStart: number;
  readonly blockSize: number;
}

export interface FoundPair {
  readonly object: PairObject;
  readonly sides: readonly [PairSide, PairSide];
  /** Generations of granules in which it was seen. */
  instances: number;
  /** How often another thread came than the one before, in all of them. */
  changes: number;
  /** In nanoseconds, between two accesses that nothing orders; infinite if they are of different runs. */
  nearest: number;
  /** Runs in which it was seen. */
  readonly runs: Set<number>;
  /** Its sides were never seen in the same run. */
  readonly isAcrossRuns: boolean;
  /** Somebody has changed the same bytes by an atomic instruction. */
  isAtomicElsewhere: boolean;
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
    for (const [one, count] of first.samples) known.sides[0].samples.set(one, count);
    for (const [one, count] of second.samples) known.sides[1].samples.set(one, count);
    known.instances += found.instances;
    known.changes += found.changes;
    known.nearest = Math.min(known.nearest, found.nearest);
    known.isAtomicElsewhere ||= found.isAtomicElsewhere;
    for (const run of found.runs) known.runs.add(run);
  }

  has(objectKey: string, one: number, other: number): boolean {
    return this.#pairs.has(`${objectKey} ${Math.min(one, other)} ${Math.max(one, other)}`);
  }
}
