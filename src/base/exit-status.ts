/** What our own exit status means; the same for every command. */
export const ExitStatus = {
  /** Nothing found. */
  clean: 0,
  /** The command line or a file it names is wrong. */
  usage: 2,
  /** Races were reported (ThreadSanitizer's value; `--error-exitcode` changes it). */
  races: 66,
  /** The machine lacks something. */
  unavailable: 69,
  /** A bug of ours. */
  internal: 70,
} as const;

export type ExitStatus = (typeof ExitStatus)[keyof typeof ExitStatus];
