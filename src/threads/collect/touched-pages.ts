/**
 * Who has touched which bytes, as long as these are in one life. Most memory is touched by one thread: a
 * granule then has an owner, and a page that was touched as a whole, by memset or a loop, has one for all of
 * its granules. Where a second thread comes, an owner is known for each byte.
 */
import { AccessFlag } from '../../linux/agent-protocol.ts';
import {
  firstGranule,
  GRANULES,
  granuleIn,
  lastGranule,
  PAGE_BYTES,
  PageNumbers,
  pageOf,
} from './pages.ts';

/** In the place of an owner, from here on: the number of a granule with an owner for each byte. */
const SEVERAL = 0x1_0000;
const ALL_BYTES = 0xff;

class Details {
  /** One more than the thread; 0: nobody has touched it; SEVERAL. */
  readonly owners = new Uint32Array(GRANULES);
  readonly touched = new Uint8Array(GRANULES);
  readonly written = new Uint8Array(GRANULES);
  readonly splits = new Uint8Array(GRANULES);
  readonly atomic = new Uint8Array(GRANULES);
}

/** A page that one thread has touched as a whole. */
interface Whole {
  owner: number;
  written: number;
  splits: number;
}

export type Told = (address: number, shared: number, splits: number, atomic: number) => void;

export class TouchedPages {
  readonly #pages = new PageNumbers();
  readonly #details: (Details | undefined)[] = [];
  readonly #whole: (Whole | undefined)[] = [];
  /** Of granules that several have touched: the first to touch each of their 8 bytes, as in `owners`. */
  #firsts = new Uint16Array(8 * 1024);
  /** Bytes that a second thread has touched. */
  #shared = new Uint8Array(1024);
  #severals = 0;
  readonly #unused: number[] = [];

  /** `bytes` and `splits` as bits of the granule at this address. */
  touch(
    thread: number,
    address: number,
    bytes: number,
    splits: number,
    flags: number,
    isAtomic: boolean,
  ): void {
    const details = this.#detailsOf(pageOf(address));
    this.#touch(details, granuleIn(address), thread + 1, bytes, splits, flags);
    if (isAtomic) details.atomic[granuleIn(address)]! |= bytes;
  }

  /** All of [address, address + length); accesses begin at these bytes of each granule. */
  touchRange(thread: number, address: number, length: number, starts: number, flags: number): void {
    const end = address + length;
    const lastPage = pageOf(end - 1);
    for (let page = pageOf(address); page <= lastPage; page++) {
      const start = page * PAGE_BYTES;
      const isWhole = address <= start && end >= start + PAGE_BYTES;
      if (isWhole && this.#touchWhole(page, thread + 1, starts, flags)) continue;
      const details = this.#detailsOf(page);
      const last = lastGranule(page, address, length);
      for (let i = firstGranule(page, address); i <= last; i++) {
        const at = start + 8 * i;
        const from = Math.max(0, address - at);
        const to = Math.min(8, end - at);
        const bytes = (ALL_BYTES >>> (8 - to)) & (ALL_BYTES << from);
        const ends = (1 << from) | (1 << to);
        this.#touch(details, i, thread + 1, bytes, (starts & bytes) | ends, flags);
      }
    }
  }

  /** A life ends here: tells what is shared, and forgets everything. */
  forget(address: number, size: number, tell: Told): void {
    this.#pages.forEachIn(pageOf(address), pageOf(address + size - 1), (page, number) => {
      const [first, last] = [firstGranule(page, address), lastGranule(page, address, size)];
      if (this.#whole[number] !== undefined) {
        if (first === 0 && last === GRANULES - 1) this.#whole[number] = undefined;
        else this.#detail(number);
      }
      const details = this.#details[number];
      if (details !== undefined) this.#forget(page, details, first, last, tell);
    });
  }

  /** The same for all memory. */
  forgetAll(tell: Told): void {
    for (const [page, number] of this.#pages.inOrder()) {
      const details = this.#details[number];
      if (details !== undefined) this.#forget(page, details, 0, GRANULES - 1, tell);
      this.#details[number] = undefined;
    }
  }

  #forget(page: number, details: Details, first: number, last: number, tell: Told): void {
    const { owners, touched, written, splits, atomic } = details;
    for (let i = first; i <= last; i++) {
      const owner = owners[i]!;
      if (owner < SEVERAL) continue;
      const several = owner - SEVERAL;
      const shared = this.#shared[several]! & written[i]!;
      // A split between two bytes; before the first and after the last there is always one.
      if (shared) tell(page * PAGE_BYTES + 8 * i, shared, splits[i]! & 0xfe, atomic[i]!);
      this.#unused.push(several);
    }
    for (const column of [owners, touched, written, splits, atomic])
      column.fill(0, first, last + 1);
  }

  #touch(
    { owners, touched, written, splits: known }: Details,
    granule: number,
    owner: number,
    bytes: number,
    splits: number,
    flags: number,
  ): void {
    known[granule]! |= splits;
    if (flags & AccessFlag.DH_WRITE) written[granule]! |= bytes;
    const before = owners[granule]!;
    if (before === owner || before === 0) {
      owners[granule] = owner;
      touched[granule]! |= bytes;
      return;
    }
    if (before < SEVERAL) owners[granule] = SEVERAL + this.#makeSeveral(before, touched[granule]!);
    const several = owners[granule]! - SEVERAL;
    const shared = this.#shared[several]!;
    if ((bytes & ~shared) === 0) return;
    let added = 0;
    for (let byte = 0; byte < 8; byte++) {
      if ((bytes & (1 << byte)) === 0) continue;
      const first = this.#firsts[8 * several + byte]!;
      if (first === 0) this.#firsts[8 * several + byte] = owner;
      else if (first !== owner) added |= 1 << byte;
    }
    this.#shared[several] = shared | added;
  }

  #makeSeveral(owner: number, touched: number): number {
    const several = this.#unused.pop() ?? this.#severals++;
    if (several === this.#shared.length) this.#growSeverals();
    this.#shared[several] = 0;
    for (let byte = 0; byte < 8; byte++) {
      this.#firsts[8 * several + byte] = touched & (1 << byte) ? owner : 0;
    }
    return several;
  }

  #growSeverals(): void {
    const [firsts, shared] = [this.#firsts, this.#shared];
    this.#firsts = new Uint16Array(2 * firsts.length);
    this.#firsts.set(firsts);
    this.#shared = new Uint8Array(2 * shared.length);
    this.#shared.set(shared);
  }

  /** False if that is not enough to say. */
  #touchWhole(page: number, owner: number, starts: number, flags: number): boolean {
    const number = this.#pages.add(page);
    if (this.#details[number] !== undefined) return false;
    const written = flags & AccessFlag.DH_WRITE ? ALL_BYTES : 0;
    const whole = this.#whole[number];
    if (whole === undefined) {
      this.#whole[number] = { owner, written, splits: starts };
      return true;
    }
    if (whole.owner !== owner) return false;
    whole.written |= written;
    whole.splits |= starts;
    return true;
  }

  #detailsOf(page: number): Details {
    const number = this.#pages.add(page);
    return this.#details[number] ?? this.#detail(number);
  }

  #detail(number: number): Details {
    const details = new Details();
    const whole = this.#whole[number];
    if (whole !== undefined) {
      details.owners.fill(whole.owner);
      details.touched.fill(ALL_BYTES);
      details.written.fill(whole.written);
      details.splits.fill(whole.splits);
      this.#whole[number] = undefined;
    }
    this.#details[number] = details;
    return details;
  }
}
