/** How many of the numbers are at most `limit`. Quick if few are greater: it begins at the end. */
export function countAtMost(ascending: readonly number[], limit: number): number {
  let high = ascending.length;
  let step = 1;
  while (high >= step && ascending[high - step]! > limit) {
    high -= step;
    step *= 2;
  }
  // All before `low` are at most `limit`, all from `high` on are greater.
  let low = Math.max(0, high - step + 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
