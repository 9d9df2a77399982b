/**
 * The first place where two texts differ, as `diff -u` would write it, with little around it:
 *
 *   @@ -2,2 +2 @@
 *    one
 *   -two
 *
 * The npm package `diff` would give all of it; for a line or two of evidence, that is not needed.
 */

const CONTEXT = 1;
/** Beyond, all lines of the part that differs count as replaced: comparing takes the square of it. */
const MOST_COMPARED = 1000;

export function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const start = commonStart(before, after);
  if (start === before.length && start === after.length) return [];
  const end = commonEnd(before.slice(start), after.slice(start));
  const from = Math.max(0, start - CONTEXT);
  const [last, lastAfter] = [before.length - end, after.length - end];
  const context = before.slice(last, last + CONTEXT);
  const range = (to: number): string => {
    const count = to - from + context.length;
    return count === 1 ? `${from + 1}` : `${count === 0 ? from : from + 1},${count}`;
  };
  return [
    `@@ -${range(last)} +${range(lastAfter)} @@`,
    ...before.slice(from, start).map((line) => ` ${line}`),
    ...changes(before.slice(start, last), after.slice(start, lastAfter)),
    ...context.map((line) => ` ${line}`),
  ];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const shorter = Math.min(a.length, b.length);
  let count = 0;
  while (count < shorter && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  return commonStart([...a].reverse(), [...b].reverse());
}

/** By the longest common subsequence; removed lines go before added ones. */
function changes(before: readonly string[], after: readonly string[]): string[] {
  const removed = (lines: readonly string[]): string[] => lines.map((line) => `-${line}`);
  const added = (lines: readonly string[]): string[] => lines.map((line) => `+${line}`);
  if (before.length > MOST_COMPARED || after.length > MOST_COMPARED) {
    return [...removed(before), ...added(after)];
  }
  const common = lengthsOfCommon(before, after);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push(` ${before[i++]}`);
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(`-${before[i++]}`);
    else lines.push(`+${after[j++]}`);
  }
  return [...lines, ...removed(before.slice(i)), ...added(after.slice(j))];
}

/** `[i][j]`: of what follows from line i of the one and from line j of the other. */
function lengthsOfCommon(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const lengths = Array.from(
    { length: before.length + 1 },
    () => new Uint16Array(after.length + 1),
  );
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        before[i] === after[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
