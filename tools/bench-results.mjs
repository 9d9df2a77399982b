/**
 * Keeps what benchmarks print: bench/results/NAME.md for each, with a drawing of each comparison beside it, and
 * bench/results.md with all of them and the machine that they were measured on. One that is measured again
 * replaces its own part only.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { home, output } from './run.mjs';

const page = join(home, 'bench', 'results.md');
const folder = join(home, 'bench', 'results');

/**
 * Everything that is printed while `work` runs.
 * @param {() => Promise<void>} work
 */
export async function printedBy(work) {
  /** @type {string[]} */
  const lines = [];
  const print = console.log;
  console.log = (...words) => {
    lines.push(words.join(' '));
    print(...words);
  };
  try {
    await work();
  } finally {
    console.log = print;
  }
  return lines.join('\n');
}

/**
 * @param {string} name of the benchmark
 * @param {string} printed
 * @param {readonly { title: string, drawing: string }[]} plots
 */
export function keepResult(name, printed, plots) {
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) {
    if (old === `${name}.md` || old.startsWith(`${name}-`)) rmSync(join(folder, old));
  }
  const drawn = plots.map(({ title, drawing }, index) => {
    const file = `${name}-${index + 1}.svg`;
    writeFileSync(join(folder, file), drawing);
    return `![${title}](results/${file})`;
  });
  const when = new Date().toISOString().slice(0, 10);
  const measured = `Measured on ${when}, at ${commit()}.`;
  const parts = [`## ${name}`, measured, blocks(printed), ...drawn];
  writeFileSync(join(folder, `${name}.md`), `${parts.join('\n\n')}\n`);
  writePage();
}

function writePage() {
  const parts = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const head = [
    '# What was measured',
    'Made by `npm run bench`; one part of it anew by `npm run bench -- NAME`. Everything that is compared ran side by',
    'side, in turns. Read the ratios: how long something takes says more of the machine than of the program.',
  ];
  writeFileSync(page, `${head.join('\n')}\n\n${machine()}\n${parts.join('\n')}`);
}

/** Tables stay tables; what else is printed in columns is shown as it is. */
function blocks(/** @type {string} */ printed) {
  const parts = printed.trim().split(/\n\s*\n/);
  return parts
    .map((part) => (part.startsWith('|') ? part : `\`\`\`\n${part}\n\`\`\``))
    .join('\n\n');
}

function machine() {
  const [cpu] = cpus();
  const versions = {
    processors: `${availableParallelism()} × ${cpu?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: release(),
    node: process.version,
    ...Object.fromEntries(
      ['gcc', 'strace', 'valgrind', 'redis-server'].map((name) => [name, versionOf(name)]),
    ),
  };
  const rows = Object.entries(versions).map(([what, which]) => `| ${what} | ${which} |`);
  return ['| | |', '| --- | --- |', ...rows, ''].join('\n');
}

/** @param {string} program */
function versionOf(program) {
  try {
    const text = execFileSync(program, ['--version'], { encoding: 'utf8' });
    return /\d+(\.\d+)+/.exec(text)?.[0] ?? 'unknown';
  } catch {
    return 'not here';
  }
}

const commit = () => output('git', ['-C', home, 'rev-parse', '--short', 'HEAD']) || 'no commit';
