/**
 * What comes first on all ways through a function, from one of its instructions backwards or forwards:
 *
 *   nearest(place, waysOf(code).before, (at) => kindOf(code.instructions[at]))
 *
 * is the set of kinds that may have come last before that place. Jumps by tables are not followed.
 */
import { type FunctionCode, fallsThrough } from '../../../binary/code/function-code.ts';

/** By place: the places that are next to it. */
type Neighbours = readonly (readonly number[])[];

export interface Ways {
  readonly before: Neighbours;
  readonly after: Neighbours;
}

export function waysOf({ instructions, jumps }: FunctionCode): Ways {
  const before: number[][] = instructions.map(() => []);
  const after: number[][] = instructions.map(() => []);
  const connect = (from: number, to: number): void => {
    after[from]!.push(to);
    before[to]!.push(from);
  };
  for (const [at, one] of instructions.entries()) {
    if (fallsThrough(one) && at + 1 < instructions.length) connect(at, at + 1);
    if (jumps[at]! >= 0) connect(at, jumps[at]!);
  }
  return { before, after };
}

/** A way ends at the first place that is of any kind. */
export function nearest<Kind>(
  place: number,
  next: Neighbours,
  kindAt: (place: number) => Kind | undefined,
): Set<Kind> {
  const found = new Set<Kind>();
  const seen = new Set<number>();
  const left = [...next[place]!];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const kind = kindAt(at);
    if (kind === undefined) left.push(...next[at]!);
    else found.add(kind);
  }
  return found;
}
