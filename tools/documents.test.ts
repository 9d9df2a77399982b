/** What holds for the documents as a whole: links lead somewhere, engines are told of alike, figures are measured. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../src/cli/program.ts';

const HOME = dirname(import.meta.dirname);

const inFolder = (folder: string): string[] =>
  readdirSync(join(HOME, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
const DOCUMENTS = [
  ...readdirSync(HOME).filter((file) => file.endsWith('.md')),
  ...['docs', 'examples'].flatMap(inFolder),
  ...['bench/results.md'].filter((file) => existsSync(join(HOME, file))),
];
const textOf = (file: string): string => readFileSync(join(HOME, file), 'utf8');
const withoutCode = (text: string): string => text.replace(/^ *```.*?^ *```/gms, '');

/** As GitHub makes them of headings. */
const anchorsIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

/** `src/report/model.ts` and the like, not patterns of such. */
const OF_PROJECT = /`((?:src|agent|test|bench|tools|web|examples|include|docs)\/[\w./-]*\w\/?)`/g;

/** Where links and pictures lead, but for other servers. */
function linksIn(text: string): string[] {
  const plain = withoutCode(text).replace(/`[^`\n]*`/g, '`');
  const links = [...plain.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  return links.map(([, one, other]) => one ?? other!).filter((link) => !/^\w+:/.test(link));
}

describe('links', () => {
  it.each(DOCUMENTS)('of %s lead somewhere', (file) => {
    const dead = linksIn(textOf(file)).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(HOME, target))) return true;
      if (anchor === undefined || statSync(join(HOME, target)).isDirectory()) return false;
      return !anchorsIn(textOf(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('from README lead to every page', () => {
    const linked = linksIn(textOf('README.md')).map((link) => link.split('#')[0]);
    const pages = inFolder('docs');
    expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
  });
});

describe('files', () => {
  it.each(DOCUMENTS)('that %s names are there', (file) => {
    const named = [...withoutCode(textOf(file)).matchAll(OF_PROJECT)].map(([, path]) => path!);
    expect(named.filter((path) => !existsSync(join(HOME, path)))).toEqual([]);
  });
});

/** Engine → its page, and the commands that it tells of. */
const ENGINES = {
  procs: { page: 'docs/process-races.md', commands: ['procs'] },
  threads: { page: 'docs/thread-races.md', commands: ['threads'] },
  watch: { page: 'docs/watch.md', commands: ['watch'] },
  sample: { page: 'docs/sample.md', commands: ['sample', 'analyze'] },
  tolerate: { page: 'docs/tolerate.md', commands: ['tolerate'] },
} as const;

const SHAPE = [
  ...['What it finds', 'How', 'Options', 'What the report says', 'How it behaves'],
  ...['Cost', 'Limits'],
];

const { commands: COMMANDS } = createProgram();
const optionsOf = (name: string): string[] =>
  COMMANDS.find((one) => one.name() === name)!
    .options.filter(({ hidden }) => !hidden)
    .map(({ long }) => long!);
/** Those that all of them have are told of by `--help` alone. */
const ownOptions = (name: string): string[] =>
  optionsOf(name).filter(
    (option) => !Object.keys(ENGINES).every((engine) => optionsOf(engine).includes(option)),
  );

describe.each(Object.entries(ENGINES))('the page of %s', (name, { page, commands }) => {
  it('has the shape that they all have', () => {
    const headings = [...textOf(page).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
    expect(headings.filter((heading) => SHAPE.includes(heading))).toEqual(SHAPE);
  });

  it('tells of every option', () => {
    const also = name === 'watch' ? textOf('docs/watch-kernel.md') : '';
    const text = textOf(page) + also;
    const untold = commands.flatMap(ownOptions).filter((option) => !text.includes(option));
    expect(untold).toEqual([]);
  });
});

describe('every engine', () => {
  it.each(['README.md', 'docs/which-engine.md'])('is in %s', (file) => {
    for (const engine of Object.keys(ENGINES)) expect(textOf(file)).toContain(`\`${engine}\``);
  });
});

/**
 * What somebody has measured, by how it is said: `3 × slower`, `a few percent`, `by a factor of 10`, `40 ns`. Settings
 * (`--budget 2%`, `20 ms apart`) are none. Pages that a command makes may have them.
 */
const MEASURED =
  /(\d ?(×|x|times|%|percent|-fold) (faster|slower|less|more|of native|overhead))|(few|\d) percent\b|by a factor|\d ?(ns|µs|us)\b(?! of processor)|nanoseconds? (a|per|each)/i;
const MADE = /^(bench\/results|docs\/(examples-table|thread-scenarios|errors))\.md$/;

describe('figures', () => {
  it.each(DOCUMENTS.filter((file) => !MADE.test(file)))(
    'in %s are none that were measured',
    (file) => {
      const lines = textOf(file).split('\n');
      expect(lines.filter((line) => MEASURED.test(line.replace(/`[^`]*`/g, '')))).toEqual([]);
    },
  );

  it.each(['docs/examples-table.md', 'docs/thread-scenarios.md'])('in %s say by what', (file) => {
    expect(textOf(file)).toMatch(/^Made by `npm run bench -- \w+`/m);
  });
});
