/**
 * Where a file of the build stands: `builtFile('workers/analyse.js')`. The build puts what the
 * command line needs into a few files in `dist/cli`, and what a thread needs into one in
 * `dist/workers`, so modules cannot go by where they stand themselves; this one is one folder deep
 * before and after.
 */
export const builtFile = (path: string): URL => new URL(`../${path}`, import.meta.url);
