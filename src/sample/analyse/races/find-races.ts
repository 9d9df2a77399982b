/**
 * The races of a process: for each generation of a granule, pairs of classes of accesses (access-classes.ts) by
 * different threads, about the same bytes, one of them writing, without a lock in common, with nothing that
 * orders them, while the memory was contested (contested-part.ts).
 */
import type { PlaceTable } from '../code/place-table.ts';
import { NO_BLOCK } from '../memory/block-history.ts';
import { GRANULE } from '../memory/granule-table.ts';
import type { SecondPass } from '../second-pass.ts';
import { type AccessClass, accessClasses } from './access-classes.ts';
import { mayRace } from './conflict.ts';
import { type ContestedPart, contestedPart } from './contested-part.ts';
import type { FoundPairs, PairObject, PairSide } from './found-pairs.ts';
import { unordered } from './unordered.ts';

/** Of one granule: code that touches the same place in so many ways is told by some of them. */
const MOST_COMPARED = 50_000;

export interface ProcessPlace {
  readonly process: number;
  readonly run: number;
  readonly nanosecondsPerTick: number;
  /** What is at an address that is no block of the heap: of an image the same in all processes. */
  objectKey(address: number): string;
}

export function findRaces(
  pass: SecondPass,
  table: PlaceTable,
  place: ProcessPlace,
  found: FoundPairs,
): void {
  const { accesses, history } = pass;
  accesses.forEachGeneration(history.generations, (generation, numbers) => {
    const part = contestedIn(pass, numbers);
    if (part === undefined) return;
    const classes = accessClasses(
      ...([accesses, pass.contexts, numbers.subarray(part.start, part.end)] as const),
    );
    new Comparison(pass, table, place, found, generation, part).compareAll(classes);
  });
}

function contestedIn(
  { accesses, contexts }: SecondPass,
  numbers: Uint32Array,
): ContestedPart | undefined {
  return contestedPart(
    numbers.length,
    (at) => contexts.threads[accesses.contexts.at(numbers[at]!)]!,
  );
}

class Comparison {
  readonly #pass: SecondPass;
  readonly #table: PlaceTable;
  readonly #place: ProcessPlace;
  readonly #found: FoundPairs;
  readonly #part: ContestedPart;
  readonly #object: PairObject;
  readonly #address: number;

  constructor(
    pass: SecondPass,
    table: PlaceTable,
    place: ProcessPlace,
    found: FoundPairs,
    generation: number,
    part: ContestedPart,
  ) {
    this.#pass = pass;
    this.#table = table;
    this.#place = place;
    this.#found = found;
    this.#part = part;
    const { history, granules } = pass;
    this.#address = granules[history.granuleOf.at(generation)]! * GRANULE;
    const blockStart = history.blockStarts.at(generation);
    const isBlock = blockStart !== NO_BLOCK;
    this.#object = {
      key: isBlock ? 'heap' : place.objectKey(this.#address),
      blockStart,
      blockSize: history.blockSizes.at(generation),
    };
  }

  compareAll(classes: readonly AccessClass[]): void {
    let left = MOST_COMPARED;
    for (const [at, one] of classes.entries()) {
      for (let next = at + 1; next < classes.length && left > 0; next++, left--) {
        this.#compare(one, classes[next]!);
      }
    }
  }

  #compare(one: AccessClass, other: AccessClass): void {
    const { locksets, order } = this.#pass;
    const flags = this.#table.siteFlags;
    if (one.thread === other.thread || (one.mask & other.mask) === 0) return;
    if (!mayRace(flags.at(one.site), flags.at(other.site))) return;
    // Each thread has its own stack, and may have got one that another had before.
    if (one.isOwnStack && other.isOwnStack) return;
    if (locksets.areProtected(one.lockset, other.lockset)) return;
    if (!this.#part.overlap(one.thread, other.thread)) return;
    const met = unordered(order, one, other);
    if (met === undefined) return;
    this.#found.add({
      object: this.#object,
      sides: [this.#side(one), this.#side(other)],
      instances: 1,
      changes: this.#part.changes,
      nearest: met.nearest * this.#place.nanosecondsPerTick,
      runs: new Set([this.#place.run]),
      isAcrossRuns: false,
    });
  }

  #side(one: AccessClass): PairSide {
    const { site, thread, lockset, mask, count } = one;
    return {
      ...{ site, process: this.#place.process, thread, lockset },
      address: this.#address + lowestByte(mask),
      samples: new Map([[one, count]]),
    };
  }
}

const lowestByte = (mask: number): number => 31 - Math.clz32(mask & -mask);
