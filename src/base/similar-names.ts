/**
 * "Did you mean": the candidates that a mistyped word may have meant, the most similar first.
 * Similarity is Levenshtein's distance: how many characters to insert, delete or replace.
 *
 *   bySimilarity('prcs-3', ['threads-1', 'procs-3'])   ['procs-3', 'threads-1']
 *   closest('raec', ['race', 'path'])                  'race'
 *   closest('frobnicate', ['race', 'path'])            undefined: no slip of the finger
 */
export function bySimilarity(word: string, candidates: readonly string[]): string[] {
  const ranked = candidates.map((name) => ({ name, edits: editDistance(word, name) }));
  ranked.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return ranked.map(({ name }) => name);
}

export function closest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = bySimilarity(word, candidates);
  if (best === undefined) return undefined;
  return editDistance(word, best) <= Math.max(2, best.length / 3) ? best : undefined;
}

/** One row of Levenshtein's table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, char] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = row[j]! + (char === to[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
