/**
 * Numbers for the pages of memory that something is known of: 0, 1, 2, … as they come. Addresses are divided
 * into pages of 4096 bytes, and these into 512 granules of 8 bytes.
 *
 *   const pages = new PageNumbers();
 *   pages.add(pageOf(0x7f0000001010))  → 0
 *   granuleIn(0x7f0000001010)          → 2, its granule in the page
 */
export const PAGE_BYTES = 4096;
export const GRANULES = 512;

export const pageOf = (address: number): number => Math.floor(address / PAGE_BYTES);
export const granuleIn = (address: number): number => (address & (PAGE_BYTES - 1)) >>> 3;

/** The granules from `first` to `last` of a page that lie in [address, address + size). */
export const firstGranule = (page: number, address: number): number =>
  page === pageOf(address) ? granuleIn(address) : 0;
export const lastGranule = (page: number, address: number, size: number): number =>
  page === pageOf(address + size - 1) ? granuleIn(address + size - 1) : GRANULES - 1;

const NOBODY = Number.NEGATIVE_INFINITY;

export class PageNumbers {
  /** A hash table: page, and its number. */
  #pages = new Float64Array(1024).fill(NOBODY);
  #numbers = new Uint32Array(1024);
  #bits = 10;
  count = 0;
  #lastPage = NOBODY;
  #lastNumber = -1;

  /** -1 if it has none. */
  find(page: number): number {
    if (page === this.#lastPage) return this.#lastNumber;
    const place = this.#placeOf(page);
    if (this.#pages[place] === NOBODY) return -1;
    this.#lastPage = page;
    this.#lastNumber = this.#numbers[place]!;
    return this.#lastNumber;
  }

  /** Gives it one if it has none. */
  add(page: number): number {
    const known = this.find(page);
    if (known >= 0) return known;
    if (2 * this.count >= this.#pages.length) this.#grow();
    const place = this.#placeOf(page);
    this.#pages[place] = page;
    this.#numbers[place] = this.count;
    return this.count++;
  }

  /** All pages in the order of their addresses, with their numbers. */
  *inOrder(): Generator<readonly [page: number, number: number]> {
    const pages = this.#pages.filter((page) => page !== NOBODY).sort();
    for (const page of pages) yield [page, this.find(page)];
  }

  /** Those from `first` to `last`, in no order: it takes as many steps as there are such pages, or numbers. */
  forEachIn(first: number, last: number, visit: (page: number, number: number) => void): void {
    if (last - first < this.#pages.length) {
      for (let page = first; page <= last; page++) {
        const number = this.find(page);
        if (number >= 0) visit(page, number);
      }
      return;
    }
    for (let place = 0; place < this.#pages.length; place++) {
      const page = this.#pages[place]!;
      if (page >= first && page <= last) visit(page, this.#numbers[place]!);
    }
  }

  #placeOf(page: number): number {
    const last = this.#pages.length - 1;
    const hash = Math.imul((page | 0) ^ Math.floor(page / 0x1_0000_0000), 0x9e37_79b1);
    let place = hash >>> (32 - this.#bits);
    while (this.#pages[place] !== page && this.#pages[place] !== NOBODY) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const [pages, numbers] = [this.#pages, this.#numbers];
    this.#bits++;
    this.#pages = new Float64Array(2 * pages.length).fill(NOBODY);
    this.#numbers = new Uint32Array(2 * pages.length);
    for (let i = 0; i < pages.length; i++) {
      if (pages[i] === NOBODY) continue;
      const place = this.#placeOf(pages[i]!);
      this.#pages[place] = pages[i]!;
      this.#numbers[place] = numbers[i]!;
    }
  }
}
