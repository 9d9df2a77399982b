/** A function that has code, or a call in it that was inlined, with the inlined calls directly in it. */
import type { AddressRange } from './addresses.ts';
import { DisjointRanges } from './disjoint-ranges.ts';
import type { Entry } from './entry.ts';
import type { SourceLine } from './line-table.ts';

/** What is told of it; the same for each address within. */
export interface ScopeDescription {
  readonly name: string | undefined;
  /** Where it was called, if it is an inlined call. */
  readonly calledAt: SourceLine;
}

export class CodeScope {
  readonly entry: Entry;
  readonly ranges: readonly AddressRange[];
  readonly #inlined: CodeScope[] = [];
  #byAddress: DisjointRanges<CodeScope> | undefined;
  #description: ScopeDescription | undefined;

  constructor(entry: Entry, ranges: readonly AddressRange[]) {
    this.entry = entry;
    this.ranges = ranges;
  }

  add(call: CodeScope): void {
    this.#inlined.push(call);
  }

  /** The inlined call at this address. */
  callAt(address: number): CodeScope | undefined {
    if (this.#inlined.length === 0) return undefined;
    this.#byAddress ??= scopesByAddress(this.#inlined);
    return this.#byAddress.find(address);
  }

  /** What `describe` says of it, who is asked once. */
  describedBy(describe: (entry: Entry) => ScopeDescription): ScopeDescription {
    this.#description ??= describe(this.entry);
    return this.#description;
  }
}

export const scopesByAddress = (scopes: readonly CodeScope[]): DisjointRanges<CodeScope> =>
  new DisjointRanges(
    scopes.flatMap((value) => value.ranges.map(({ low, high }) => ({ low, high, value }))),
  );
