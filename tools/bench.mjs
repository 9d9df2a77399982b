/**
 * `npm run bench` runs every benchmark, `npm run bench -- trace` one of them. A benchmark is a file
 * in bench/ that exports `run()`; it measures things side by side and prints ratios.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages, FOR_BENCHMARKS } from './debian-packages.mjs';
import { giveUp, home, run } from './run.mjs';

ensureDebianPackages(FOR_BENCHMARKS);
ensureBuilt();
/** Not benchmarks, but what they are made of. */
const HELPERS = ['measure.ts', 'redis.ts'];
const available = readdirSync(join(home, 'bench'))
  .filter((file) => file.endsWith('.ts') && !HELPERS.includes(file))
  .map((file) => basename(file, '.ts'));
const wanted = process.argv.length > 2 ? process.argv.slice(2) : available;
const unknown = wanted.find((name) => !available.includes(name));
if (unknown) giveUp(`no benchmark named '${unknown}'; there are: ${available.join(', ')}`);

const compiled = join(home, 'node_modules', '.cache', 'deadheat-bench');
mkdirSync(compiled, { recursive: true });
const tsc = join(home, 'node_modules', '.bin', 'tsc');
const compile = [
  '-p',
  'tsconfig.json',
  '--noEmit',
  'false',
  '--outDir',
  compiled,
  '--rootDir',
  home,
];
if (!run(tsc, compile)) giveUp('the benchmarks do not compile');
for (const name of wanted) {
  console.log(`\n## ${name}\n`);
  const module = pathToFileURL(join(compiled, 'bench', `${name}.js`)).href;
  const { run: measure } = await import(module);
  await measure();
}
