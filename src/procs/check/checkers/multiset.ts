/** What is in `all` more often than in `without`: each as often as it is there too often. */
export function surplus(all: readonly string[], without: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of without) left.set(one, (left.get(one) ?? 0) + 1);
  return all.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}

/** `sh, sh, cat` as `2 × sh, cat`. */
export function counted(all: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => (count > 1 ? `${count} × ${one}` : one)).join(', ');
}
