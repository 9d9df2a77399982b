/**
 * `npm run bench` runs every benchmark, `npm run bench -- trace` one of them. A benchmark is a file
 * in bench/ that exports `run(words)`; it measures things side by side and prints ratios, which are kept in
 * bench/results.md. Words that are no benchmark's name choose among its rows, for a look that is not kept:
 * `npm run bench -- record make eBPF`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keepResult, printedBy } from './bench-results.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages, FOR_BENCHMARKS } from './debian-packages.mjs';
import { giveUp, home, run } from './run.mjs';

ensureDebianPackages(FOR_BENCHMARKS);
ensureBuilt();
/** Those with a `run`; the others are what they are made of. */
const available = readdirSync(join(home, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .filter((file) =>
    /^export (async )?function run\(/m.test(readFileSync(join(home, 'bench', file), 'utf8')),
  )
  .map((file) => basename(file, '.ts'));
const words = process.argv.slice(2);
const named = words.filter((word) => available.includes(word));
const rows = words.filter((word) => !available.includes(word));
if (words.length > 0 && named.length === 0) {
  giveUp(`no benchmark named '${words[0]}'; there are: ${available.join(', ')}`);
}
const wanted = named.length > 0 ? named : available;

const compiled = join(home, 'node_modules', '.cache', 'deadheat-bench');
mkdirSync(compiled, { recursive: true });
// The agent's sources stand beside ours.
rmSync(join(compiled, 'agent'), { force: true });
symlinkSync(join(home, 'agent'), join(compiled, 'agent'));
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
/** @param {string} name */
const load = (name) => import(pathToFileURL(join(compiled, 'bench', `${name}.js`)).href);
const { takeComparisons } = await load('comparison');
const { plot } = await load('plot');
for (const name of wanted) {
  console.log(`\n## ${name}\n`);
  const { run: measure } = await load(name);
  const printed = await printedBy(() => measure(rows));
  // A part of a benchmark does not replace all of it.
  if (rows.length > 0) continue;
  const plots = takeComparisons().map((/** @type {{ title: string }} */ one) => ({
    title: one.title,
    drawing: plot(one),
  }));
  keepResult(name, printed, plots);
}
