/**
 * Whoever decides when the tasks of a recorded tree go on. Without one, a recorder lets everybody go
 * on at once; with one, each task that stands at one of these points stays there until the
 * conductor has named it in `takeReleased`.
 *
 *   recorder                              conductor
 *   enters(14, mkdir) ──────────────────▶ 14 has to wait for 12
 *   left(12, stat) ─────────────────────▶ now 14 may go on
 *   takeReleased() ◀───────────────────── [{ task: 14 }]
 */
import type { Tid } from '../../linux/ids.ts';
import type { ProcessNumbering } from '../../linux/sandbox/process-numbering.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { StartRecord } from '../../trace/records/start.ts';

/** A call that a task is about to make. */
export interface EnteredCall {
  readonly number: number;
  /** As passed, addresses included. */
  readonly args: readonly number[];
  /** As passed; byte strings. */
  readonly path?: string | undefined;
  readonly path2?: string | undefined;
}

/** `from now on`: nobody needs to see any of its further calls, either. */
export type Passage = 'stops' | 'passes' | 'passes from now on';

export interface Release {
  readonly task: Tid;
  /** Deliver this signal, for which it stands still; 0 for none. */
  readonly signal?: number;
  /** Enter the call with these arguments instead, by index; afterwards the registers are as before. */
  readonly instead?: ReadonlyMap<number, number>;
  /** Do not make the call at all; this is its result. */
  readonly answer?: number;
  /** Back out of the call that it was about to enter: it will come to it again. */
  readonly rewind?: true;
}

export interface Conductor {
  /** Calls by number at which nobody needs to be stopped, nor recorded. */
  readonly unneeded?: ReadonlySet<number>;
  /** `numbering`: who chooses the numbers of processes, if anybody can. */
  begins(root: Tid, numbering?: ProcessNumbering): void;
  /** Whether a task may make this call at once, without that it is recorded, or `enters` is told. */
  mayPass(task: Tid, number: number, args: readonly number[]): Passage;
  /** Recorded calls, and those that make tasks. */
  enters(task: Tid, call: EnteredCall): void;
  /**
   * The call has ended; `args` as passed, addresses included. The task stands still while this is told,
   * and its memory may be changed. False if it is to stay there.
   */
  left(task: Tid, record: CallRecord, args: readonly number[]): boolean;
  /** With `vfork`, the parent stands still until the child has run another program, or ended. */
  forked(parent: Tid, child: Tid, how: StartRecord['how']): void;
  /** It runs another program. */
  execed(task: Tid): void;
  /** A thread's exec gives it its leader's number. */
  renamed(from: Tid, to: Tid): void;
  /** A signal is about to reach it. */
  signalled(task: Tid, signal: number): void;
  exits(task: Tid, status: number): void;
  gone(task: Tid): void;
  takeReleased(): readonly Release[];
  /** Nobody can be expected to move on by itself for longer than so many milliseconds; undefined: somebody can. */
  patience(): number | undefined;
  /** That time is up. */
  stalled(): void;
  /** Everybody is being killed: nobody is to be held any longer, since nobody dies in a stop at its exit. */
  abandon(): void;
  /** The run is of no use any more, and is to be ended. */
  hasGivenUp(): boolean;
}
