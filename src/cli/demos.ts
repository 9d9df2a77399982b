/** What `deadheat demo` shows: for each engine an example, with its race and mended. */

export interface Demo {
  /** Folder under examples/. */
  readonly example: string;
  readonly story: string;
  readonly racy: DemoRun;
  readonly fixed: DemoRun;
  /** Of the engine, before `--`. */
  readonly options: readonly string[];
  /** C, to be compiled into programs of the same names. */
  readonly sources: readonly string[];
  /** How many runs may go by in which nobody comes at the wrong moment. */
  readonly tries: number;
  /** The exit status is the program's own, whatever was found. */
  readonly isStatusPassed: boolean;
}

interface DemoRun {
  readonly command: readonly string[];
  readonly story: string;
}

const compiled = (...words: string[]) => ({
  sources: ['racy.c', 'fixed.c'],
  racy: { command: ['./racy', ...words], story: 'The program with the race:' },
  fixed: { command: ['./fixed', ...words], story: 'The same program, mended:' },
});

const SECONDS = '3';
const SECTIONS = '100000';

export const DEMOS: Readonly<Record<string, Demo>> = {
  procs: {
    example: 'procs/lost-update',
    story: 'Two shell processes each read a counter, add 1 and write it back; nobody takes a lock.',
    racy: { command: ['sh', 'racy.sh'], story: 'The program with the race:' },
    fixed: { command: ['sh', 'fixed.sh'], story: 'The same program, mended:' },
    ...{ options: [], sources: [], tries: 1, isStatusPassed: false },
  },
  threads: {
    example: 'threads/without-once',
    story: 'Two threads use a setting; one takes for granted that the other has initialised it.',
    ...compiled(),
    ...{ options: [], tries: 3, isStatusPassed: false },
  },
  watch: {
    example: 'watch/rw-race',
    story: 'One thread writes a variable, another reads it, and nothing orders the two.',
    ...compiled(SECONDS),
    ...{ options: ['--rate', '200'], tries: 5, isStatusPassed: false },
  },
  sample: {
    example: 'sample/statistics',
    story: 'The threads of a server count what they do, without a lock.',
    ...compiled(SECONDS),
    ...{ options: ['--analyze'], tries: 5, isStatusPassed: false },
  },
  tolerate: {
    example: 'tolerate/gscript',
    story:
      'A thread looks twice at a variable under a lock, and others change it without; such sections are torn.',
    ...compiled(SECTIONS),
    ...{ options: [], tries: 5, isStatusPassed: true },
  },
};
