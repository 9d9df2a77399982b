/**
 * What there is to measure, in the order of bench/results.md: for each engine its benchmarks, and what each of them
 * answers. A benchmark is a file in this folder that exports `run(words)`; words choose a part of it, if it is large.
 *
 *   npm run bench                     all but the long ones
 *   npm run bench -- procs            those of an engine
 *   npm run bench -- sample slowdown  one of them, by its name
 *   npm run bench -- record make      some of its rows, for a look that is not kept
 *
 * A file that is not listed here is measured under its own name.
 */
export interface Benchmark {
  /** The file, and the words that it is given: `sample slowdown` is `run(['slowdown'])` of sample.ts. */
  readonly name: string;
  /** What it answers. */
  readonly about: string;
  /** Takes so long that it runs only if it is asked for by its name. */
  readonly isLong?: boolean;
}

export interface Chapter {
  /** The engine, or what else is measured. */
  readonly name: string;
  readonly about: string;
  readonly benchmarks: readonly Benchmark[];
}

export const CONTENTS: readonly Chapter[] = [
  {
    name: 'procs',
    about: 'races between processes',
    benchmarks: [
      { name: 'record', about: 'what recording costs, beside strace' },
      { name: 'detect', about: 'how long it takes to find races, and how that grows' },
      { name: 'validate', about: 'how long it takes to prove them' },
      { name: 'examples', about: 'the racy examples in figures' },
      { name: 'order', about: 'clocks that share, beside those of the textbook' },
      { name: 'trace', about: 'recordings on disk, beside JSON lines' },
      {
        name: 'rounds',
        about: 'how dependable verdicts are: every example, ten times',
        isLong: true,
      },
    ],
  },
  {
    name: 'threads',
    about: 'races between threads',
    benchmarks: [
      { name: 'tracing', about: 'what tracing costs, beside Helgrind, DRD and ThreadSanitizer' },
      { name: 'scenarios', about: 'what is found, beside the same three' },
      { name: 'predict', about: 'how fast races are predicted, and how that grows' },
      { name: 'thread-trace', about: 'traces on disk' },
      {
        name: 'scenarios replay',
        about: 'whether each confirmed race is shown again, twenty times',
        isLong: true,
      },
    ],
  },
  {
    name: 'watch',
    about: 'races caught in the act',
    benchmarks: [
      { name: 'watch caught', about: 'how soon a race is caught' },
      { name: 'watch compute', about: 'what watching costs a program that computes' },
      { name: 'watch redis', about: 'what it costs a server' },
      { name: 'watch attach', about: 'whether a server answers while it is attached to' },
      { name: 'watch kernel', about: 'races of kernel modules, in a guest', isLong: true },
    ],
  },
  {
    name: 'sample',
    about: 'races at production cost',
    benchmarks: [
      { name: 'sample slowdown', about: 'what sampling costs' },
      { name: 'sample hooks', about: 'what single calls cost more' },
      { name: 'sample caught', about: 'how soon races are caught, and what else is reported' },
      { name: 'sample analysis', about: 'how fast samples are analysed' },
      { name: 'sample breakdown', about: 'what of the cost comes from where', isLong: true },
      {
        name: 'sample servers',
        about: 'what is reported of memcached and apache2',
        isLong: true,
      },
    ],
  },
  { name: 'tolerate', about: 'critical sections that work on copies', benchmarks: [] },
  {
    name: 'report',
    about: 'what people look at',
    benchmarks: [
      { name: 'html', about: 'how long a large page takes to be painted' },
      { name: 'start-up', about: 'how long the command takes to start' },
    ],
  },
];

/** With what is there and not listed: under the chapter of its name, if there is one. */
export function contentsWith(files: readonly string[]): readonly Chapter[] {
  const listed = CONTENTS.flatMap(({ benchmarks }) => benchmarks.map(({ name }) => fileOf(name)));
  const others = files.filter((file) => !listed.includes(file));
  const chapterOf = (file: string): string =>
    CONTENTS.find(({ name }) => file === name || file.startsWith(`${name}-`))?.name ?? 'report';
  return CONTENTS.map((chapter) => ({
    ...chapter,
    benchmarks: [
      ...chapter.benchmarks,
      ...others
        .filter((file) => chapterOf(file) === chapter.name)
        .map((name) => ({ name, about: 'see its file' })),
    ],
  }));
}

export interface Choice {
  readonly benchmarks: readonly Benchmark[];
  /** If only some rows of the one benchmark are wanted; they are not kept. */
  readonly rows: readonly string[];
}

/** What words of the command line stand for; undefined if nothing is called that. */
export function chosenBy(
  words: readonly string[],
  contents: readonly Chapter[],
): Choice | undefined {
  const all = contents.flatMap(({ benchmarks }) => benchmarks);
  if (words.length === 0) return { benchmarks: all.filter(({ isLong }) => !isLong), rows: [] };
  const exact = all.find(({ name }) => name === words.join(' '));
  if (exact) return { benchmarks: [exact], rows: [] };
  const named = words.map((word) => namedBy(word, contents));
  if (named.every((some) => some.length > 0)) return { benchmarks: named.flat(), rows: [] };
  const [file = '', ...rows] = words;
  const one = all.find(({ name }) => fileOf(name) === file);
  return one && { benchmarks: [{ ...one, name: file }], rows };
}

/** A benchmark, or all of a chapter or a file that are not long. */
function namedBy(word: string, contents: readonly Chapter[]): readonly Benchmark[] {
  const all = contents.flatMap(({ benchmarks }) => benchmarks);
  const exact = all.find(({ name }) => name === word);
  if (exact) return [exact];
  const chapter = contents.find(({ name }) => name === word)?.benchmarks;
  return (chapter ?? all.filter(({ name }) => fileOf(name) === word)).filter(
    ({ isLong }) => !isLong,
  );
}

export const fileOf = (name: string): string => name.split(' ')[0]!;
export const wordsOf = (name: string): readonly string[] => name.split(' ').slice(1);
