/**
 * The functions of a unit that have code, and the calls in them that were inlined:
 *
 *   DW_TAG_subprogram consume             0x1180…0x11f3
 *     DW_TAG_inlined_subroutine pop       0x1192…0x11a8   called in line 40
 *       DW_TAG_inlined_subroutine lock    0x1192…0x119b   called in line 12
 *
 * The address 0x1195 thus is in `lock`, called by `pop` in line 12, called by `consume` in line 40.
 */
import type { AddressRange } from './addresses.ts';
import { DisjointRanges } from './disjoint-ranges.ts';
import type { Entry } from './entry.ts';
import { EntryCursor } from './entry-cursor.ts';
import { Tag } from './numbers.ts';
import { rangesOf } from './ranges.ts';
import type { Unit } from './unit.ts';

/** A function, or a call that was inlined. */
export interface CodeScope {
  readonly entry: Entry;
  readonly ranges: readonly AddressRange[];
  /** The calls directly in it. */
  readonly inlined: CodeScope[];
}

export class UnitFunctions {
  readonly list: readonly CodeScope[];
  readonly #byAddress: DisjointRanges<CodeScope>;

  constructor(unit: Unit) {
    this.list = readFunctions(unit);
    this.#byAddress = new DisjointRanges(
      this.list.flatMap((value) => value.ranges.map(({ low, high }) => ({ low, high, value }))),
    );
  }

  /** The function at this address, then the calls that led there, from the outside inwards. */
  scopesAt(address: number): CodeScope[] {
    const scopes: CodeScope[] = [];
    let scope = this.#byAddress.find(address);
    while (scope) {
      scopes.push(scope);
      scope = scope.inlined.find(({ ranges }) => holds(ranges, address));
    }
    return scopes;
  }
}

const holds = (ranges: readonly AddressRange[], address: number): boolean =>
  ranges.some(({ low, high }) => address >= low && address < high);

function readFunctions(unit: Unit): CodeScope[] {
  const functions: CodeScope[] = [];
  /** What inlined calls belong to, at each depth: blocks and the like are no scopes of their own. */
  const around: (CodeScope | undefined)[] = [];
  const cursor = new EntryCursor(unit);
  while (cursor.next()) {
    const { tag, depth } = cursor;
    const outer = depth === 0 ? undefined : around[depth - 1];
    around[depth] = outer;
    if (tag !== Tag.subprogram && tag !== Tag.inlinedSubroutine) continue;
    const siblings = tag === Tag.subprogram ? functions : outer?.inlined;
    const entry = cursor.entry();
    const ranges = rangesOf(entry);
    if (siblings && ranges.length > 0) {
      const scope: CodeScope = { entry, ranges, inlined: [] };
      siblings.push(scope);
      around[depth] = scope;
    } else if (tag === Tag.subprogram) around[depth] = undefined;
  }
  return functions;
}
