/** What the benchmarks measure with. */

export function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** What it takes of processors, ours and the kernel's: the same however busy the machine is. */
export function processorMilliseconds(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Between which two of the samples the true median lies, wrong one time in ten at most, whatever they are distributed
 * like: each is below it with a chance of one half, so that of 15 hardly ever fewer than 4 are, and 12 hardly ever.
 *
 *   medianLimits([15 samples, sorted])     [the 4th, the 12th]
 */
export function medianLimits(samples: readonly number[]): readonly [number, number] {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = Math.max(0, outermostSure(sorted.length));
  return [sorted[place]!, sorted[sorted.length - 1 - place]!];
}

const WRONG = 0.1;

/** How many on either side may be left out; -1 if even all of them together are not sure. */
function outermostSure(count: number): number {
  let [place, chance, below] = [-1, 2 ** -count, 2 ** -count];
  while (2 * below <= WRONG) {
    place++;
    chance *= (count - place) / (place + 1);
    below += chance;
  }
  return place;
}

/** Those with one of the words in their names; all of them, if none has. */
export function chosen(names: readonly string[], words: readonly string[]): readonly string[] {
  const some = names.filter((name) => words.some((word) => name.includes(word)));
  return some.length > 0 ? some : names;
}

/** Measures one thing after the other. One that fails says so, and does not take the others with it. */
export async function eachOnItsOwn(
  names: readonly string[],
  measure: (name: string) => unknown,
): Promise<void> {
  for (const name of names) {
    try {
      await measure(name);
    } catch (error) {
      console.log(`\n**${name} could not be measured**: ${(error as Error).message}\n`);
      process.exitCode = 1;
    }
  }
}
