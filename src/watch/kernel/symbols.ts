/**
 * The names of a kernel's places, in the order of their addresses.
 *
 *   symbols.find('jiffies_64')             0xffffffff8264a2c0n
 *   symbols.at(0xffffffff812f4ac7n)        { name: 'vfs_read', start: …4ab0n, end: …4d20n, type: 'T' }
 *
 * A symbol ends where the next one begins; several may begin at the same place, of which the first that others may
 * use is taken. Types are those of nm: T and t are code, D and d data, …
 */
import { firstIndex } from '../../base/bisect.ts';

export interface KernelSymbol {
  readonly name: string;
  readonly address: bigint;
  /** As of nm: a capital for those that other files may use. */
  readonly type: string;
}

export interface NamedRange {
  readonly name: string;
  readonly type: string;
  readonly start: bigint;
  readonly end: bigint;
}

/** Names of kernel addresses: per-processor variables are counted from 0. */
const LOWEST = 1n << 63n;

export class KernelSymbols {
  readonly #sorted: readonly KernelSymbol[];
  readonly #byName = new Map<string, bigint>();

  constructor(symbols: readonly KernelSymbol[]) {
    for (const { name, address } of symbols) {
      if (!this.#byName.has(name)) this.#byName.set(name, address);
    }
    this.#sorted = symbols
      .filter(({ address }) => address >= LOWEST)
      .sort((a, b) => Number(a.address - b.address) || rank(a) - rank(b));
  }

  get count(): number {
    return this.#sorted.length;
  }

  find(name: string): bigint | undefined {
    return this.#byName.get(name);
  }

  at(address: bigint): NamedRange | undefined {
    const behind = firstIndex(this.#sorted, (one) => one.address > address);
    const last = this.#sorted[behind - 1];
    if (last === undefined) return undefined;
    const first = firstIndex(this.#sorted, (one) => one.address >= last.address);
    return this.#range(first, behind);
  }

  /** Each place once, in their order. */
  *ranges(): Generator<NamedRange> {
    for (let first = 0; first < this.#sorted.length; ) {
      const { address } = this.#sorted[first]!;
      let behind = first + 1;
      while (this.#sorted[behind]?.address === address) behind++;
      yield this.#range(first, behind);
      first = behind;
    }
  }

  /** Symbols that begin at the same place, from one index up to another. */
  #range(first: number, behind: number): NamedRange {
    const { name, type, address } = this.#sorted[first]!;
    return { name, type, start: address, end: this.#sorted[behind]?.address ?? address };
  }
}

/** What only says where something begins or ends: `_stext`, `__entry_text_end`, `__start_rodata`. */
const MARK = /^(__pfx_|_[se]?(init)?text$|__(start|stop|end)_)|_text_(start|end)$/;

/** What people know comes first. */
function rank({ name, type }: KernelSymbol): number {
  if (MARK.test(name)) return 2;
  return type === type.toUpperCase() ? 0 : 1;
}
