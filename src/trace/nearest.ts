/**
 * The names that a mistyped one may have meant, the most similar first: `prcs-3` → `procs-3`.
 * Similarity is the Levenshtein distance, the number of letters to insert, delete or replace.
 */
export function nearest(word: string, names: readonly string[], most: number): string[] {
  const ranked = names.map((name) => ({ name, distance: distance(word, name) }));
  ranked.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, most).map(({ name }) => name);
}

function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [row, letter] of [...from].entries()) {
    const line = [row + 1];
    for (let i = 0; i < to.length; i++) {
      const replaced = above[i]! + Number(letter !== to[i]);
      line.push(Math.min(replaced, line[i]! + 1, above[i + 1]! + 1));
    }
    above = line;
  }
  return above[to.length]!;
}
