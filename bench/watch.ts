/**
 * What watching finds, and what it costs.
 *
 *   caught     rw-race at 100 hits/s, 20 runs: in how many its race is caught within 5 s, and after how long
 *   compute    two threads that multiply matrices: time divided by the native one beside it, at several rates; the same
 *   redis      for redis-server under load (watch-slowdown.ts). Asked: at most 1.10 at 50 hits/s; 1.00 with breakpoints
 *              that nobody comes to. `at least` is what the windows alone would take: of two threads that compute, or of
 *              the one that serves all requests, one is held for their time
 *   attach     redis-server under load is attached to and let go, 50 times: requests that were answered, and whether
 *              it still runs
 *   kernel     modules in a guest (examples/watch-kernel): whether their race is caught within 3 minutes, 5 times;
 *              their twins, once each, for as long as the slowest catch took
 *
 * `npm run bench -- watch caught` measures only that.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../src/report/model.ts';
import { attachToRedis } from './attach-redis.ts';
import { chosen, median } from './measure.ts';
import { watchKernel } from './watch-kernel.ts';
import { watchedCompute, watchedRedis } from './watch-slowdown.ts';

const CATCHES = 20;
const CATCH_WITHIN_S = 5;
const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const parts: Record<string, () => void | Promise<void>> = {
    caught: () => caught(folder),
    compute: () => watchedCompute(folder, MAIN),
    redis: () => watchedRedis(folder, MAIN),
    attach: () => attachToRedis(folder, MAIN),
    kernel: () => watchKernel(folder, MAIN),
  };
  try {
    for (const part of chosen(Object.keys(parts), words)) await parts[part]!();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function caught(folder: string): void {
  const program = join(folder, 'rw-race');
  const source = join(process.cwd(), 'examples', 'watch', 'rw-race', 'racy.c');
  spawnSync('cc', ['-O2', '-g', '-pthread', source, '-o', program], { stdio: 'inherit' });
  const after: number[] = [];
  for (let time = 0; time < CATCHES; time++) {
    const json = join(folder, 'report.json');
    const options = ['--rate', '100', '--json', json, '-o', join(folder, 'run')];
    const command = [MAIN, 'watch', '-q', ...options, '--', program, String(CATCH_WITHIN_S)];
    spawnSync(process.execPath, command, { cwd: folder, stdio: 'ignore' });
    const { races, stats } = reportIn(json);
    if (races.length > 0) after.push(Number(stats.firstRaceAfterSeconds));
    rmSync(join(folder, 'run'), { recursive: true, force: true });
  }
  const typical = after.length > 0 ? `, median ${median(after).toFixed(2)} s` : '';
  console.log(`rw-race caught within ${CATCH_WITHIN_S} s: ${after.length} of ${CATCHES}${typical}`);
}

const reportIn = (file: string): Report => JSON.parse(readFileSync(file, 'utf8')) as Report;
