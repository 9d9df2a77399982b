/**
 * `npm run errors`: makes docs/errors.md of the sources, so that whoever searches for a message finds what it
 * asks for.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorsIn } from './errors-in-source.mjs';
import { home } from './run.mjs';

/** @typedef {import('./errors-in-source.mjs').Listed} Listed */

/** Who says it, by the folder of the source. */
const PARTS = new Map([
  ['cli', 'The command line'],
  ['trace', 'Runs and recordings'],
  ['linux', 'The machine'],
  ['procs', '`procs`: processes'],
  ['threads', '`threads`'],
  ['watch', '`watch`'],
  ['sample', '`sample`'],
  ['tolerate', '`tolerate`'],
  ['report', 'Reports'],
  ['binary', 'Program files'],
  ['preload', 'Programs that the agent is loaded into'],
  ['debugger', 'Running programs'],
]);

export function catalogue() {
  const source = join(home, 'src');
  /** @type {Map<string, Listed[]>} */
  const found = new Map();
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const [part = ''] = file.split('/');
    const errors = errorsIn(readFileSync(join(source, file), 'utf8'));
    found.set(part, [...(found.get(part) ?? []), ...errors]);
  }
  const sections = [...PARTS].flatMap(([part, title]) => section(title, found.get(part) ?? []));
  return `${[...HEAD, ...sections].join('\n')}\n`;
}

const HEAD = [
  '# What deadheat may ask you to mend',
  '',
  'Each of these is printed as one line, `deadheat: MESSAGE; REMEDY`, and nothing of yours is changed. What is',
  'filled in when it happens stands here as ‹name›. The exit status is 2 if the command line or a file that it',
  'names is wrong, 69 if the machine lacks something. Anything else is a bug of ours (70), and says how to report',
  'it. This page is made of the sources by `npm run errors`.',
];

/**
 * @param {string} title
 * @param {Listed[]} errors
 */
function section(title, errors) {
  if (errors.length === 0) return [];
  const rows = new Set(
    errors.map(({ message, remedy, status }) => `| ${message} | ${remedy} | ${status} |`),
  );
  const head = ['', `## ${title}`, '', '| message | what to do | exit |', '| --- | --- | --- |'];
  return [...head, ...[...rows].sort()];
}

const FILE = join(home, 'docs', 'errors.md');
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, catalogue());
