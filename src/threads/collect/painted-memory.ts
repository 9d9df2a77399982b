/**
 * A number for each granule of memory, 0 at first, given to whole ranges at a time:
 *
 *   memory.paint(0x5000, 100_000_000, 7);
 *   memory.at(0x5123)  → 7
 *
 * Pages of one number take a word. Ranges may be far larger than memory, such as the terabytes that some
 * programs reserve: of these only pages that are known already are painted, and the rest is remembered in
 * one piece.
 */
import {
  firstGranule,
  GRANULES,
  granuleIn,
  lastGranule,
  PAGE_BYTES,
  PageNumbers,
  pageOf,
} from './pages.ts';

/** Pages. */
const LARGE = 1024;

interface LargeRange {
  readonly first: number;
  readonly last: number;
  readonly color: number;
}

export class PaintedMemory {
  readonly #pages = new PageNumbers();
  readonly #whole: number[] = [];
  readonly #detailed: (Uint32Array | undefined)[] = [];
  /** What pages without a number have: the last one counts. */
  #large: LargeRange[] = [];

  at(address: number): number {
    const page = pageOf(address);
    const number = this.#pages.find(page);
    if (number < 0) return this.#largeAt(page);
    const detailed = this.#detailed[number];
    return detailed === undefined ? this.#whole[number]! : detailed[granuleIn(address)]!;
  }

  /** All granules that [address, address + size) touches. */
  paint(address: number, size: number, color: number): void {
    const [first, last] = [pageOf(address), pageOf(address + size - 1)];
    const paintPage = (page: number): void => {
      this.#paintPage(page, firstGranule(page, address), lastGranule(page, address, size), color);
    };
    if (last - first < LARGE) {
      for (let page = first; page <= last; page++) paintPage(page);
      return;
    }
    // The outermost ones may be painted in part.
    paintPage(first);
    paintPage(last);
    this.#pages.forEachIn(first + 1, last - 1, paintPage);
    this.#large = this.#large.filter((range) => range.first <= first || range.last >= last);
    this.#large.push({ first: first + 1, last: last - 1, color });
  }

  /** Calls `see` for each number in the range, but not for each granule. */
  look(address: number, size: number, see: (color: number) => void): void {
    const [first, last] = [pageOf(address), pageOf(address + size - 1)];
    for (const range of this.#large) {
      if (range.first <= last && range.last >= first) see(range.color);
    }
    this.#pages.forEachIn(first, last, (page, number) => {
      const detailed = this.#detailed[number];
      if (detailed === undefined) {
        see(this.#whole[number]!);
        return;
      }
      const end = lastGranule(page, address, size);
      let before = -1;
      for (let i = firstGranule(page, address); i <= end; i++) {
        if (detailed[i] !== before) see(detailed[i]!);
        before = detailed[i]!;
      }
    });
  }

  #paintPage(page: number, first: number, last: number, color: number): void {
    const number = this.#pages.add(page);
    this.#whole[number] ??= this.#largeAt(page);
    if (first === 0 && last === GRANULES - 1) {
      this.#whole[number] = color;
      this.#detailed[number] = undefined;
      return;
    }
    this.#detailed[number] ??= new Uint32Array(PAGE_BYTES / 8).fill(this.#whole[number]!);
    this.#detailed[number].fill(color, first, last + 1);
  }

  #largeAt(page: number): number {
    for (let i = this.#large.length - 1; i >= 0; i--) {
      const { first, last, color } = this.#large[i]!;
      if (page >= first && page <= last) return color;
    }
    return 0;
  }
}
