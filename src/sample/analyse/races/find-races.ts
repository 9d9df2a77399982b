/**
 * The races of a process: for each generation of a granule, pairs of classes of accesses (access-classes.ts) by
 * different threads, about the same bytes, one of them writing, without a lock in common, with nothing that
 * orders them, while the memory was contested (contested-part.ts). A granule may have several fields: that threads
 * contend for one says nothing of its neighbour, so that each is looked at by itself. Locks are no races: threads meet
 * there on purpose (lock-words.ts).
 */
import type { PlaceTable } from '../code/place-table.ts';
import { NO_BLOCK } from '../memory/block-history.ts';
import { GRANULE } from '../memory/granule-table.ts';
import type { SecondPass } from '../second-pass.ts';
import { type AccessClass, accessClasses } from './access-classes.ts';
import { isAtomic, mayRace } from './conflict.ts';
import { type ContestedPart, contestedPart, FEWEST_CONTESTED } from './contested-part.ts';
import type { FoundPairs, PairObject, PairSide } from './found-pairs.ts';
import { QuietPairs } from './quiet-pairs.ts';
import { unordered } from './unordered.ts';

/** Of one field, in segments looked at: code that touches the same place in so many ways is told by some of them. */
const MOST_COMPARED = 500_000;

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
    if (numbers.length < FEWEST_CONTESTED) return;
    for (const field of fieldsOf(pass, numbers)) {
      if (pass.lockWords.has(generation, field)) continue;
      const touching = numbers.filter((access) => (accesses.masks.at(access) & field) !== 0);
      const part = contestedIn(pass, touching);
      if (part === undefined) continue;
      const quiet = new QuietPairs(accesses, pass.order);
      const classes = accessClasses(
        ...([accesses, pass.contexts, touching.subarray(part.start, part.end)] as const),
        (access, one) => quiet.note(access, one),
      );
      const isChangedAtomically = touching.some((access) =>
        isAtomic(table.siteFlags.at(accesses.sites.at(access))),
      );
      const contested = { part, field, quiet, isChangedAtomically };
      new Comparison(pass, table, place, found, generation, contested).compareAll(classes);
    }
  });
}

/** The bytes that two accesses may have in common, as masks. */
function fieldsOf({ accesses }: SecondPass, numbers: Uint32Array): Set<number> {
  const masks = new Set<number>();
  for (const access of numbers) masks.add(accesses.masks.at(access));
  const fields = new Set<number>();
  for (const one of masks) for (const other of masks) fields.add(one & other);
  fields.delete(0);
  return fields;
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

interface Contested {
  readonly part: ContestedPart;
  /** Which bytes it is about. */
  readonly field: number;
  readonly quiet: QuietPairs;
  /** By anybody, at any time. */
  readonly isChangedAtomically: boolean;
}

class Comparison {
  readonly #pass: SecondPass;
  readonly #table: PlaceTable;
  readonly #place: ProcessPlace;
  readonly #found: FoundPairs;
  readonly #part: ContestedPart;
  readonly #field: number;
  readonly #quiet: QuietPairs;
  readonly #isChangedAtomically: boolean;
  readonly #block: Omit<PairObject, 'key'> & { readonly isBlock: boolean };
  readonly #address: number;
  readonly #blockKey: number;
  #left = MOST_COMPARED;

  constructor(
    pass: SecondPass,
    table: PlaceTable,
    place: ProcessPlace,
    found: FoundPairs,
    generation: number,
    { part, field, quiet, isChangedAtomically }: Contested,
  ) {
    this.#pass = pass;
    this.#table = table;
    this.#place = place;
    this.#found = found;
    this.#part = part;
    this.#field = field;
    this.#quiet = quiet;
    this.#isChangedAtomically = isChangedAtomically;
    const { history, granules } = pass;
    this.#address = granules[history.granuleOf.at(generation)]! * GRANULE;
    const number = history.blockNumbers.at(generation);
    // Addresses have 47 bits, so that these are below all numbers of blocks.
    this.#blockKey = number === 0 ? -this.#address : place.process * 2 ** 32 + number;
    const blockStart = history.blockStarts.at(generation);
    const blockSize = history.blockSizes.at(generation);
    this.#block = { isBlock: blockStart !== NO_BLOCK, blockStart, blockSize };
  }

  compareAll(classes: readonly AccessClass[]): void {
    for (const [at, one] of classes.entries()) {
      for (let next = at + 1; next < classes.length && this.#left > 0; next++) {
        this.#left--;
        this.#compare(one, classes[next]!);
      }
    }
  }

  #compare(one: AccessClass, other: AccessClass): void {
    const { locksets, order } = this.#pass;
    const flags = this.#table.siteFlags;
    if (one.thread === other.thread || (one.mask & other.mask) !== this.#field) return;
    if (!mayRace(flags.at(one.site), flags.at(other.site))) return;
    // Each thread has its own stack, and may have got one that another had before.
    if (one.isOwnStack && other.isOwnStack) return;
    if (locksets.areProtected(one.lockset, other.lockset)) return;
    if (!this.#part.overlap(one.thread, other.thread)) return;
    this.#left -= one.segments.length + other.segments.length;
    const met = unordered(order, one, other);
    if (met === undefined) return;
    const { isBlock, ...block } = this.#block;
    const field = this.#address + lowestByte(this.#field);
    this.#found.add({
      object: { key: isBlock ? 'heap' : this.#place.objectKey(field), ...block },
      sides: [this.#side(one), this.#side(other)],
      blocks: new Map([[this.#blockKey, this.#part.changes]]),
      nearest: met.nearest * this.#place.nanosecondsPerTick,
      runs: new Set([this.#place.run]),
      isAcrossRuns: false,
      isQuiet: this.#quiet.has(one, other),
      isAtomicElsewhere: this.#isChangedAtomically,
    });
  }

  #side(one: AccessClass): PairSide {
    const { site, thread, lockset, mask } = one;
    return {
      ...{ site, process: this.#place.process, thread, lockset },
      address: this.#address + lowestByte(mask),
      classes: new Map([[one, this.#place.process]]),
    };
  }
}

/** Of a granule. */
export const lowestByte = (mask: number): number => 31 - Math.clz32(mask & -mask);
