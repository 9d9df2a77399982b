/**
 * Keeps what benchmarks print: bench/results/NAME.md for each, with a drawing of each comparison beside it, and
 * bench/results.md with all of them and the machine (bench-machine.mjs). One that is measured again replaces its own
 * part only.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { machine, processors } from './bench-machine.mjs';
import { home } from './run.mjs';

const page = join(home, 'bench', 'results.md');
const folder = join(home, 'bench', 'results');
/** Kept like the results: whoever only draws them anew may sit at another machine. */
const machineFile = join(folder, 'machine.md');

/**
 * @typedef {import('../bench/comparison.ts').Plotted} Plotted
 * @typedef {(comparison: Plotted) => string} Plot
 * @typedef {object} Result
 * @property {string} printed
 * @property {readonly Plotted[]} compared
 * @property {string} sources that were measured
 * @property {number} seconds that it took
 * @property {number} load of the machine, in the minute before
 * @property {number | null} status
 */

/**
 * @param {string} name of the benchmark
 * @param {Result} result
 * @param {Plot} plot
 */
export function keepResult(name, { printed, compared, ...how }, plot) {
  const stem = stemOf(name);
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) {
    if (old.replace(/(\.\d+)?\.\w+$/, '') === stem) rmSync(join(folder, old));
  }
  const plots = compared.map(({ title }, index) => `![${title}](results/${plotFile(stem, index)})`);
  if (compared.length > 0) {
    writeFileSync(join(folder, `${stem}.json`), `${JSON.stringify(compared, null, 2)}\n`);
    drawAll(stem, plot);
  }
  const parts = [remark(how), blocks(printed), ...plots];
  writeFileSync(join(folder, `${stem}.md`), `${parts.join('\n\n')}\n`);
  writeFileSync(machineFile, `${machine()}\n`);
}

/** @param {Plot} plot */
export function redraw(plot) {
  for (const file of readdirSync(folder)) {
    if (file.endsWith('.json')) drawAll(basename(file, '.json'), plot);
  }
}

/**
 * @param {string} stem
 * @param {Plot} plot
 */
function drawAll(stem, plot) {
  for (const [index, one] of comparisonsOf(stem).entries()) {
    writeFileSync(join(folder, plotFile(stem, index)), plot(one));
  }
}

/**
 * @param {string} stem
 * @param {number} index
 */
const plotFile = (stem, index) => `${stem}.${index + 1}.svg`;

/**
 * @param {string} stem
 * @returns {readonly Plotted[]}
 */
function comparisonsOf(stem) {
  const file = join(folder, `${stem}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/**
 * `Measured on 2026-01-31 at 0a1b2c3 on 2 × AMD EPYC, in 5 minutes, load before 0.1.` Figures from a busy machine are
 * worth less, and not all are from the same one.
 * @param {Pick<Result, 'sources' | 'seconds' | 'load' | 'status'>} result
 */
export function remark({ sources, seconds, load, status }) {
  const when = new Date().toISOString().slice(0, 10);
  const where = `at ${sources} on ${processors()}`;
  const how = `${where}, in ${duration(seconds)}, load before ${load.toFixed(1)}`;
  return [
    `_Measured on ${when} ${how}._`,
    ...(status === 0 ? [] : ['**Not all of it could be measured.**']),
  ].join(' ');
}

/**
 * @param {readonly import('../bench/contents.ts').Chapter[]} contents
 * @param {(way: string) => boolean} isOwn
 */
export function writePage(contents, isOwn) {
  const chapters = contents.map(({ name, about, benchmarks }) => ({
    title: `${name}: ${about}`,
    kept: benchmarks.filter((one) => existsSync(join(folder, `${stemOf(one.name)}.md`))),
  }));
  const measured = chapters.filter(({ kept }) => kept.length > 0);
  const overview = measured.flatMap(({ kept }) =>
    kept.map(({ name, about }) => `- [${name}](#${anchorOf(name)}): ${about}`),
  );
  const parts = measured.flatMap(({ title, kept }) => [
    `## ${title}`,
    ...kept.flatMap(({ name, about }) => [
      `### ${name}`,
      `${about[0]?.toUpperCase()}${about.slice(1)}.`,
      readFileSync(join(folder, `${stemOf(name)}.md`), 'utf8').trim(),
    ]),
  ]);
  const kept = measured.flatMap((one) => one.kept.map(({ name }) => name));
  const whole = [...HEAD, ...glance(kept, isOwn), ...measuredOn(), overview.join('\n'), ...parts];
  writeFileSync(page, `${whole.join('\n\n')}\n`);
}

const HEAD = [
  '# What was measured',
  [
    'Made by `npm run bench`, and a part of it anew by `npm run bench -- NAME`; not written by hand.',
    'Everything that is compared ran side by side, in turns. **Read the ratios**: how long something takes says',
    'more of the machine than of the program. _Spread_ is half of the way from the fastest round to the slowest.',
  ].join('\n'),
];

/**
 * All ratios to the native run: ours and theirs.
 * @param {readonly string[]} names of benchmarks
 * @param {(way: string) => boolean} isOwn
 */
function glance(names, isOwn) {
  const rows = names.flatMap((name) => {
    const natively = comparisonsOf(stemOf(name)).filter(({ ways }) =>
      ways.some((way) => way.name === 'native'),
    );
    return natively.map(({ title, ways }) => {
      const told = (/** @type {boolean} */ own) =>
        ways
          .filter((way) => isOwn(way.name) === own && !/^native/.test(way.name))
          .map((way) => `${way.name.replace(/^deadheat,? /, '')} **${way.ratio.toFixed(2)}**`)
          .join(', ');
      return `| [${title}](#${anchorOf(name)}) | ${told(true)} | ${told(false)} |`;
    });
  });
  if (rows.length === 0) return [];
  return [
    'At a glance, how many times as long as without any of these:',
    ['| task | deadheat | others |', '| --- | --- | --- |', ...rows].join('\n'),
  ];
}

function measuredOn() {
  const table = existsSync(machineFile) ? readFileSync(machineFile, 'utf8').trim() : machine();
  return [
    'The machine that was measured on last; each part names the processors of its own:',
    table,
  ];
}

/** @param {string} name */
const stemOf = (name) => name.replaceAll(' ', '-');
/** As GitHub makes them of headings. */
const anchorOf = stemOf;

/** Tables stay tables and sentences sentences; what else is printed in columns is shown as it is. */
export function blocks(/** @type {string} */ printed) {
  const parts = printed.trim().split(/\n\s*\n/);
  return parts.flatMap(shown).join('\n\n');
}

/** @param {string} part */
function shown(part) {
  const lines = part.split('\n');
  const rows = lines.filter((line) => line.startsWith('|'));
  if (rows.length > 0 && rows.length < lines.length) {
    const at = lines.findIndex((line) => line.startsWith('|'));
    const pieces = [lines.slice(0, at), rows, lines.slice(at + rows.length)];
    return pieces.filter((some) => some.length > 0).map((some) => shownAlike(some));
  }
  return [shownAlike(lines)];
}

/** @param {readonly string[]} lines */
function shownAlike(lines) {
  const isInColumns = lines.length > 1 && lines.some((line) => /\S {2,}\S/.test(line));
  if (isInColumns && !lines[0]?.startsWith('|')) return ['```', ...lines, '```'].join('\n');
  // A line each.
  return lines[0]?.startsWith('|') || lines.length === 1
    ? lines.map((line) => line.trim()).join('\n')
    : lines.map((line) => `- ${line.trim()}`).join('\n');
}

/** @param {number} seconds */
const duration = (seconds) =>
  seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
