/**
 * Which lanes are shown, and where those that are not go: into the row of the nearest lane above them, so that a
 * build of three hundred processes is a handful of rows until somebody unfolds it.
 *
 *   make 3              make 3 (+2)       `sh 4` is folded, and `cc1 6` with it
 *   ├ sh 4        →     sh 5
 *   │ └ cc1 6
 *   └ sh 5
 */
import type { Lane } from '../../src/report/html/picture.ts';

export interface Row {
  readonly lane: number;
  readonly depth: number;
  /** How many lanes are folded into it, itself not counted. */
  readonly folded: number;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** By lane: the row that shows it; -1 if none does. */
  readonly rowOf: Int32Array;
}

export function rowsOf(lanes: readonly Lane[], isShown: (lane: number) => boolean): Rows {
  const rowOf = new Int32Array(lanes.length).fill(-1);
  const rows: { lane: number; depth: number; folded: number }[] = [];
  for (const [lane, { parent }] of lanes.entries()) {
    const above = parent === undefined ? -1 : rowOf[parent]!;
    if (isShown(lane)) {
      const depth = above < 0 ? 0 : rows[above]!.depth + 1;
      rowOf[lane] = rows.push({ lane, depth, folded: 0 }) - 1;
    } else if (above >= 0) {
      rowOf[lane] = above;
      rows[above]!.folded++;
    }
  }
  return { rows, rowOf };
}

/** The given lanes, and those that lead to them. */
export function withAncestors(lanes: readonly Lane[], wanted: readonly number[]): Set<number> {
  const all = new Set<number>();
  for (const one of wanted) {
    for (let lane: number | undefined = one; lane !== undefined && !all.has(lane); ) {
      all.add(lane);
      lane = lanes[lane]?.parent;
    }
  }
  return all;
}

/** A lane is hidden if one above it was folded by the user. */
export function isUnderFolded(
  lanes: readonly Lane[],
  folded: ReadonlySet<number>,
  lane: number,
): boolean {
  for (let one = lanes[lane]?.parent; one !== undefined; one = lanes[one]?.parent) {
    if (folded.has(one)) return true;
  }
  return false;
}
