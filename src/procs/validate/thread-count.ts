/**
 * How many threads are of use. Each race that is tried needs one; one more for each can make its second run
 * beside its first (run-beside.ts).
 *
 *   jobs 4, 9 races                        4 needed
 *   jobs 4, 3 races                        3 needed, 4 useful
 *   jobs 1, 9 races, an idle processor     1 needed, 2 useful
 */
export interface ThreadCount {
  readonly needed: number;
  /** At least as many. */
  readonly useful: number;
}

export function threadsFor(
  races: number,
  { jobs, spareRuns }: { readonly jobs: number; readonly spareRuns: number },
): ThreadCount {
  const needed = Math.min(jobs, races);
  return { needed, useful: Math.min(jobs + spareRuns, 2 * needed) };
}
