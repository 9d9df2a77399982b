/** The modules of examples/watch-kernel in a guest: how soon their races are caught, and that their twins stay silent. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../src/report/model.ts';
import { markdownTable } from './markdown-table.ts';
import { median } from './measure.ts';

const MODULES = ['rw-race', 'link-count'];
const CATCHES = 5;
const WITHIN_S = 180;
const BOOT_S = 120;

/** `main`: deadheat's own, as a script. */
export function watchKernel(folder: string, main: string): void {
  const rows = MODULES.map((name) => {
    const after: number[] = [];
    for (let time = 0; time < CATCHES; time++) {
      const { races, stats } = watched(folder, main, name, 'racy', WITHIN_S);
      if (races.length > 0) after.push(Number(stats.firstRaceAfterSeconds));
    }
    const slowest = after.length > 0 ? Math.max(...after) : WITHIN_S;
    const twin = watched(folder, main, name, 'fixed', Math.max(30, Math.ceil(slowest)));
    return {
      module: name,
      caught: `${after.length} of ${CATCHES}`,
      'median s': after.length > 0 ? median(after).toFixed(1) : '-',
      'slowest s': slowest.toFixed(1),
      'races of its twin': twin.races.length,
    };
  });
  console.log(markdownTable(rows));
}

function watched(
  folder: string,
  main: string,
  name: string,
  half: 'racy' | 'fixed',
  seconds: number,
): Report {
  const [json, run] = [join(folder, 'report.json'), join(folder, 'run')];
  const module = join(process.cwd(), 'examples', 'watch-kernel', name, `${half}.c`);
  const options = ['--module', module, '--enough', '1', '--duration', `${seconds}s`];
  const done = spawnSync(
    process.execPath,
    [main, 'watch', '--qemu', '--fetch', '-q', ...options, '--json', json, '-o', run],
    { stdio: ['ignore', 'ignore', 'inherit'], timeout: (seconds + BOOT_S) * 1000 },
  );
  if (done.status !== 0 && done.status !== 66) throw new Error(`watch ended with ${done.status}`);
  rmSync(run, { recursive: true, force: true });
  return JSON.parse(readFileSync(json, 'utf8')) as Report;
}
