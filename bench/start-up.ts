/**
 * How long `./deadheat --version` takes on a built tree, beside bare `node -e 0`. The two take
 * turns, so that a busy moment of the machine hits both. Wanted: less than 150 ms more.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tellComparison } from './comparison.ts';
import { median, milliseconds } from './measure.ts';

const ROUNDS = 25;

export async function run(): Promise<void> {
  const launcher = join(process.cwd(), 'deadheat');
  const commands = {
    'node -e 0': [process.execPath, '-e', '0'],
    './deadheat --version': [launcher, '--version'],
    './deadheat --help': [launcher, '--help'],
  };
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, [command = '', ...args]] of Object.entries(commands)) {
      times[name]?.push(milliseconds(() => spawnSync(command, args)));
    }
  }
  const bare = median(times['node -e 0'] ?? []);
  tellComparison(
    'start-up',
    Object.entries(times).map(([name, samples]) => ({
      name,
      samples,
      ratio: median(samples) / bare,
      more: { 'ms over bare node': (median(samples) - bare).toFixed(0) },
    })),
  );
}
