/**
 * What sampling costs, what it finds, and how fast that is analysed.
 *
 *   slowdown   time divided by the native one of the same round, at the default setting: the small server of
 *              examples/sample, redis-server with io-threads and memcached under load, four programs that compute;
 *              beside them three that do little but lock.
 *              Asked: at most 1.03
 *   breakdown  the same by cause: locks, and allocations as well, and samples as well
 *   hooks      what single calls cost more: locking, allocating. Asked: 3 ns for a lock and its unlock, 6 ns for
 *              malloc and free
 *   caught     each race of examples/sample, which is a variable that threads race about, 10 times: in how many a run
 *              of at most 60 s catches it, and after how many seconds of it. Asked: 9. How many accesses samples
 *              tell of, for each that was sampled itself. Asked: 4. Then what is reported of the fixed twins and
 *              clean programs: nothing
 *   servers    memcached and apache2 under load: what is reported, for docs/sample-reports.md
 *   analysis   10 million samples. Asked: 60 s and 4 GB
 *
 * `npm run bench -- sample slowdown` measures only that; further words choose rows, and numbers the rounds.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosen } from './measure.ts';
import { analysis } from './sample-analysis.ts';
import { breakdown } from './sample-breakdown.ts';
import { caught } from './sample-caught.ts';
import { hooks } from './sample-hooks.ts';
import { servers } from './sample-servers.ts';
import { slowdown } from './sample-slowdown.ts';

/** `words`: which rows, and how many rounds. */
type Part = (folder: string, words: readonly string[]) => void | Promise<void>;

const PARTS: Readonly<Record<string, Part>> = {
  ...{ slowdown, breakdown, hooks, caught, servers, analysis },
};

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  chmodSync(folder, 0o755);
  const parts = chosen(Object.keys(PARTS), words);
  const rows = words.filter((word) => !(word in PARTS));
  try {
    for (const part of parts) await PARTS[part]!(folder, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
