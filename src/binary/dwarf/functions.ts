/**
 * The functions of a unit that have code, and the calls in them that were inlined:
 *
 *   DW_TAG_subprogram consume             0x1180…0x11f3
 *     DW_TAG_inlined_subroutine pop       0x1192…0x11a8   called in line 40
 *       DW_TAG_inlined_subroutine lock    0x1192…0x119b   called in line 12
 *
 * The address 0x1195 thus is in `lock`, called by `pop` in line 12, called by `consume` in line 40.
 */
import { CodeScope, scopesByAddress } from './code-scope.ts';
import type { DisjointRanges } from './disjoint-ranges.ts';
import { EntryCursor } from './entry-cursor.ts';
import { Tag } from './numbers.ts';
import { rangesOf } from './ranges.ts';
import type { Unit } from './unit.ts';

export class UnitFunctions {
  readonly list: readonly CodeScope[];
  readonly #byAddress: DisjointRanges<CodeScope>;

  constructor(unit: Unit) {
    this.list = readFunctions(unit);
    this.#byAddress = scopesByAddress(this.list);
  }

  /** The function at this address, then the calls that led there, from the outside inwards. */
  scopesAt(address: number): CodeScope[] {
    const scopes: CodeScope[] = [];
    let scope = this.#byAddress.find(address);
    for (; scope; scope = scope.callAt(address)) scopes.push(scope);
    return scopes;
  }
}

function readFunctions(unit: Unit): CodeScope[] {
  const functions: CodeScope[] = [];
  /** What inlined calls belong to, at each depth: blocks and the like are no scopes of their own. */
  const around: (CodeScope | undefined)[] = [];
  const cursor = new EntryCursor(unit);
  while (cursor.next()) {
    const { tag, depth } = cursor;
    const outer = depth === 0 ? undefined : around[depth - 1];
    around[depth] = outer;
    if (tag === Tag.subprogram) {
      around[depth] = readScope(cursor);
      if (around[depth]) functions.push(around[depth]);
    } else if (tag === Tag.inlinedSubroutine && outer) {
      const call = readScope(cursor);
      if (!call) continue;
      outer.add(call);
      around[depth] = call;
    }
  }
  return functions;
}

/** Undefined if it has no code. */
function readScope(cursor: EntryCursor): CodeScope | undefined {
  const entry = cursor.entry();
  const ranges = rangesOf(entry);
  return ranges.length > 0 ? new CodeScope(entry, ranges) : undefined;
}
