/**
 * `npm run bench` measures all engines beside others of their kind, `npm run bench -- procs` one of them;
 * bench/contents.ts has what there is, and how it is called. What comes out is kept in bench/results.md. One that fails
 * does not keep the others from being measured. `npm run bench -- --redraw` measures nothing, and makes the drawings
 * and the page anew of what is kept.
 */
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sourcesIn } from './bench-machine.mjs';
import { keepResult, redraw, writePage } from './bench-results.mjs';
import { ensureBuilt } from './build.mjs';
import { FOR_BENCHMARKS, installDebianPackages } from './debian-packages.mjs';
import { giveUp, home, run } from './run.mjs';

/** So that one that hangs does not keep the others from being measured. */
const LONGEST_MS = 45 * 60_000;

const lacking = installDebianPackages(FOR_BENCHMARKS);
if (lacking) console.error(`deadheat: ${lacking}; what needs them will fail`);
// Before hours go by in which somebody may change them.
const sources = sourcesIn(home);
ensureBuilt();
const compiled = compile();
/** @param {string} name */
const load = (name) => import(pathToFileURL(join(compiled, 'bench', `${name}.js`)).href);
const { chosenBy, contentsWith } = await load('contents');
const { plot } = await load('plot');
const { isOwn, plotted } = await load('comparison');

const contents = contentsWith(runnable());
if (process.argv[2] === '--redraw') {
  redraw(plot);
  writePage(contents, isOwn);
  process.exit();
}
/** @type {readonly Task[] | undefined} */
const tasks = chosenBy(process.argv.slice(2), contents);
if (!tasks) giveUp(`nothing to measure is called that; there are: ${called().join(', ')}`);
/** @type {string[]} */
const failed = [];
for (const task of tasks) {
  const { name, about, isKept } = task;
  console.log(`\n## ${name}: ${about}\n`);
  const began = Date.now();
  const [load = 0] = loadavg();
  const { printed, comparisons, status } = await measured(task);
  const seconds = Math.round((Date.now() - began) / 1000);
  if (status !== 0) failed.push(name);
  console.error(`deadheat: ${name} took ${seconds} s`);
  if (!isKept) continue;
  const compared = comparisons.map(plotted);
  keepResult(name, { printed, compared, sources, seconds, load, status }, plot);
  writePage(contents, isOwn);
}
if (failed.length > 0) giveUp(`not everything could be measured: ${failed.join(', ')}`);

/** Those files that are benchmarks; the others are what they are made of. */
function runnable() {
  const folder = join(home, 'bench');
  const isRun = /^export (async )?function run\(/m;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && isRun.test(readFileSync(join(folder, file), 'utf8')))
    .map((file) => basename(file, '.ts'));
}

function compile() {
  const cache = join(home, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // Of its own: others may be measuring something else.
  const folder = mkdtempSync(join(cache, 'deadheat-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // The agent's sources stand beside ours.
  symlinkSync(join(home, 'agent'), join(folder, 'agent'));
  const tsc = join(home, 'node_modules', '.bin', 'tsc');
  const options = ['-p', 'tsconfig.json', '--noEmit', 'false', '--outDir', folder];
  if (!run(tsc, [...options, '--rootDir', home])) giveUp('the benchmarks do not compile');
  return folder;
}

/**
 * @typedef {import('../bench/contents.ts').Task} Task
 * @typedef {import('../bench/comparison.ts').Comparison} Comparison
 * @param {Task} task
 * @returns {Promise<{ printed: string, comparisons: Comparison[], status: number | null }>}
 */
async function measured({ file: benchmark, words }) {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const file = join(folder, 'comparisons.json');
  writeFileSync(file, '[]');
  const script = join(compiled, 'bench', 'run-one.js');
  // A group of its own: if it hangs, whatever it has started goes with it.
  const child = spawn(process.execPath, [script, benchmark, file, ...words], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const end = () => child.pid && process.kill(-child.pid, 'SIGKILL');
  const onSignal = () => {
    end();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
  const timer = setTimeout(end, LONGEST_MS);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    printed += piece;
    process.stdout.write(piece);
  });
  /** @type {number | null} */
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
  const comparisons = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  return { printed, comparisons, status };
}

function called() {
  return contents.flatMap((/** @type {import('../bench/contents.ts').Chapter} */ chapter) => [
    chapter.name,
    ...chapter.benchmarks.map(({ name }) => name),
  ]);
}
