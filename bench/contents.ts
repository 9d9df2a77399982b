/**
 * What there is to measure, in the order of bench/results.md: for each engine its benchmarks, and what each of them
 * answers. A benchmark is a file in this folder that exports `run(words)`; words choose a part of it, if it is large.
 *
 *   npm run bench                     all but the long ones, in short: in an hour and a quarter
 *   npm run bench -- procs            those of an engine
 *   npm run bench -- sample slowdown  one of them, by its name, in full
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
  /** Further words for it when it is one of many: fewer rounds, or smaller sizes. */
  readonly inShort?: readonly string[];
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
      { name: 'scenarios', about: 'what is found, beside the same three', inShort: ['3'] },
      {
        name: 'predict',
        about: 'how fast races are predicted, and how that grows',
        inShort: ['10000', '100000', '1000000'],
      },
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
      { name: 'sample slowdown', about: 'what sampling costs', inShort: ['5'] },
      { name: 'sample hooks', about: 'what single calls cost more' },
      {
        name: 'sample caught',
        about: 'how soon races are caught, and what else is reported',
        inShort: ['3'],
      },
      { name: 'sample analysis', about: 'how fast samples are analysed' },
      { name: 'sample breakdown', about: 'what of the cost comes from where', isLong: true },
      {
        name: 'sample servers',
        about: 'what is reported of memcached and apache2',
        isLong: true,
      },
    ],
  },
  {
    name: 'tolerate',
    about: 'critical sections that work on copies',
    benchmarks: [
      {
        name: 'tolerate stress',
        about: 'whether anything gets into a section, among a hundred million',
        isLong: true,
      },
      {
        name: 'tolerate correct',
        about: 'whether correct programs stay correct, run by run',
        isLong: true,
      },
      { name: 'tolerate section', about: 'what a single section costs' },
      { name: 'tolerate programs', about: 'what isolation costs programs', inShort: ['5'] },
    ],
  },
  {
    name: 'report',
    about: 'what people look at',
    benchmarks: [
      { name: 'html', about: 'how long a large page takes to be painted' },
      { name: 'start-up', about: 'how long the command takes to start' },
    ],
  },
];

/**
 * What there is in these files. One that is not listed is under the chapter that its name begins with, or else under
 * the last.
 */
export function contentsWith(files: readonly string[]): readonly Chapter[] {
  const listed = CONTENTS.flatMap(({ benchmarks }) => benchmarks.map((one) => inFull(one).file));
  const others = files.filter((file) => !listed.includes(file));
  const chapterOf = (file: string): string =>
    CONTENTS.find(({ name }) => file === name || file.startsWith(`${name}-`))?.name ?? 'report';
  return CONTENTS.map((chapter) => ({
    ...chapter,
    benchmarks: [
      ...chapter.benchmarks.filter((one) => files.includes(inFull(one).file)),
      ...others
        .filter((file) => chapterOf(file) === chapter.name)
        .map((name) => ({ name, about: 'see its file' })),
    ],
  }));
}

/** A benchmark, and what its file is told. */
export interface Task {
  readonly name: string;
  readonly about: string;
  readonly file: string;
  readonly words: readonly string[];
  /** Some rows of a benchmark do not replace all of it. */
  readonly isKept: boolean;
}

/** What words of the command line stand for; undefined if nothing is called that. */
export function chosenBy(
  words: readonly string[],
  contents: readonly Chapter[],
): readonly Task[] | undefined {
  const all = contents.flatMap(({ benchmarks }) => benchmarks);
  if (words.length === 0) return all.filter(({ isLong }) => !isLong).map(inShort);
  const exact = all.find(({ name }) => name === words.join(' '));
  if (exact) return [inFull(exact)];
  const named = words.map((word) => namedBy(word, contents));
  if (named.every((some) => some.length > 0)) return named.flat();
  // `sample slowdown redis` is some of `sample slowdown`, and not of whatever else sample.ts has.
  for (const [at] of words.entries()) {
    const begin = words.slice(0, at + 1).join(' ');
    const some = all.map(inFull).find(({ name }) => name === begin);
    if (some) return [someOf(some, [...some.words, ...words.slice(at + 1)], words)];
  }
  const [file = '', ...rows] = words;
  const some = all.map(inFull).find((one) => one.file === file);
  return some && [someOf(some, rows, words)];
}

const someOf = (task: Task, rows: readonly string[], words: readonly string[]): Task => ({
  ...task,
  ...{ name: words.join(' '), words: rows, isKept: false },
});

/** A benchmark in full, or all of a chapter or a file that are not long. */
function namedBy(word: string, contents: readonly Chapter[]): readonly Task[] {
  const all = contents.flatMap(({ benchmarks }) => benchmarks);
  const exact = all.find(({ name }) => name === word);
  if (exact) return [inFull(exact)];
  const chapter = contents.find(({ name }) => name === word)?.benchmarks;
  return (chapter ?? all.filter(({ name }) => name.startsWith(`${word} `)))
    .filter(({ isLong }) => !isLong)
    .map(inShort);
}

function inFull({ name, about }: Benchmark): Task {
  const [file = '', ...words] = name.split(' ');
  return { name, about, file, words, isKept: true };
}

function inShort(benchmark: Benchmark): Task {
  const full = inFull(benchmark);
  return { ...full, words: [...full.words, ...(benchmark.inShort ?? [])] };
}
