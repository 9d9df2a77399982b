/**
 * How a run of the program ended: what checkers compare. There is one of the recorded order and one
 * of each order that was tried.
 *
 *   { exit: { code: 2 }, hung: false, deaths: [], leftovers: [],
 *     stdout: 'RUN/branches/R1-1/stdout', stderr: 'RUN/branches/R1-1/stderr',
 *     layers: [{ place: '/', upper: 'RUN/branches/R1-1/changes/0/upper' }] }
 */

export interface RunOutcome {
  /** How the command itself ended. */
  readonly exit: { readonly code: number } | { readonly signal: number };
  /** It did not end by itself in time. */
  readonly hung: boolean;
  /** The processes that a signal ended, with the names of their programs. */
  readonly deaths: readonly { readonly program: string; readonly signal: number }[];
  /** Programs that were still running when the command had ended. */
  readonly leftovers: readonly string[];
  /** Files with what the program and its children wrote there. */
  readonly stdout: string;
  readonly stderr: string;
  /** What was changed below each place, as overlayfs wrote it down (linux/sandbox/upper-files.ts). */
  readonly layers: readonly ChangedLayer[];
}

export interface ChangedLayer {
  readonly place: string;
  /** An absolute path. */
  readonly upper: string;
}
