/**
 * Which bytes a thread has to be about to touch, so that it is worth holding it there. In
 *
 *   for (i = 0; i < n; i++) sum += table[i];       another thread writes table[7]
 *
 * only one of n stops is. Where the variable was when the program was traced is where it is looked for first.
 * Memory may be elsewhere this time: then the runs themselves show what both sides touch, and the next run goes
 * by that. As long as nothing is known, the first that comes will do; and so it has to where memory is elsewhere in
 * every run, since addresses cannot be fixed.
 */
import { overlap, type TouchedBytes } from '../../binary/code/touched-memory.ts';

type Range = Pick<TouchedBytes, 'address' | 'size'>;

/** A loop through a large array shows more than anybody needs. */
const MOST_SEEN = 20_000;

export class WantedAddresses {
  /** By side: by address, how many bytes. */
  readonly #seen = [new Map<bigint, number>(), new Map<bigint, number>()] as const;
  #wanted: readonly Range[] | undefined;
  /** Where the variable should be, in this run. */
  #expected: Range | undefined;

  /** To be called before each run, and again when it is known where its images are. */
  expect(variable: Range | undefined): void {
    this.#expected = variable;
    const both = common(...this.#seen);
    const within = both.filter((range) => variable !== undefined && overlap(range, variable));
    const isFirst = this.#seen.every(({ size }) => size === 0);
    // It is there if one side has touched it there; the other may not have come yet.
    const isThere =
      variable !== undefined && this.#seen.some((one) => this.#hasSeen(one, variable));
    if (within.length > 0) this.#wanted = within;
    else if (both.length > 0) this.#wanted = both;
    else this.#wanted = variable !== undefined && (isFirst || isThere) ? [variable] : undefined;
  }

  /** Instead of `expect`, if nothing is where it was in another run. */
  forget(): void {
    for (const seen of this.#seen) seen.clear();
    this.#wanted = undefined;
    this.#expected = undefined;
  }

  /** Otherwise the first that comes will do. */
  get isKnown(): boolean {
    return this.#wanted !== undefined;
  }

  /** For the rest of the run nobody is held: it only shows what both sides touch. */
  onlyWatch(): void {
    this.#wanted = [];
  }

  get isOnlyWatching(): boolean {
    return this.#wanted?.length === 0;
  }

  /** Whether that is something new. */
  see(side: 0 | 1, touched: readonly Range[]): boolean {
    const seen = this.#seen[side];
    let isNew = false;
    for (const { address, size } of touched) {
      if (seen.size >= MOST_SEEN || (seen.get(address) ?? 0) >= size) continue;
      seen.set(address, size);
      isNew = true;
    }
    return isNew;
  }

  isWanted(touched: Range): boolean {
    return this.#wanted?.some((range) => overlap(range, touched)) ?? true;
  }

  /** Whether that side has ever been about to touch what is expected, or anything if nothing is. */
  wasSeen(side: 0 | 1): boolean {
    const seen = this.#seen[side];
    return this.#expected === undefined ? seen.size > 0 : this.#hasSeen(seen, this.#expected);
  }

  #hasSeen(seen: ReadonlyMap<bigint, number>, range: Range): boolean {
    for (const [address, size] of seen) if (overlap(range, { address, size })) return true;
    return false;
  }
}

/** What overlaps of two sets of ranges, going through both in the order of their addresses. */
function common(one: ReadonlyMap<bigint, number>, other: ReadonlyMap<bigint, number>): Range[] {
  const [a, b] = [sorted(one), sorted(other)];
  const found: Range[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (overlap(a[i]!, b[j]!)) add(found, a[i]!);
    if (end(a[i]!) < end(b[j]!)) i++;
    else j++;
  }
  return found;
}

/** Elements of an array, one after the other, become one. */
function add(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last === undefined || end(last) < range.address) ranges.push(range);
  else if (end(range) > end(last)) {
    ranges[ranges.length - 1] = { ...last, size: Number(end(range) - last.address) };
  }
}

const end = ({ address, size }: Range): bigint => address + BigInt(size);
const sorted = (seen: ReadonlyMap<bigint, number>): Range[] =>
  [...seen]
    .map(([address, size]) => ({ address, size }))
    .sort((x, y) => (x.address < y.address ? -1 : x.address > y.address ? 1 : 0));
