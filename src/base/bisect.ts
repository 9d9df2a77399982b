/** The first place from which on the condition holds; once true, it stays true. */
export function firstIndex<T>(
  list: readonly T[],
  holds: (item: T) => boolean,
  from = 0,
  to = list.length,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
