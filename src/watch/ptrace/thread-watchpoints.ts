/** How bytes are watched in all threads of a process but one: perf-watchpoints.ts, register-watchpoints.ts. */
import type { Tid } from '../../linux/ids.ts';
import type { PerfEventFd } from '../../linux/perf-event.ts';
import type { Watch, WatchedBytes, WatchedFor } from '../debug-target.ts';

export interface WatchRequest {
  readonly pieces: readonly WatchedBytes[];
  readonly on: WatchedFor;
  /** Who may touch them. */
  readonly holder: Tid;
}

/** Who has touched watched bytes: `late` means that nobody watches them any more, but the signal is ours. */
export type Touch = Watch | 'late' | undefined;

/** A watch that linux/quick-look.ts may make by itself: its word, and who gets it. */
export interface QuickWatch {
  readonly word: bigint;
  readonly threads: readonly Tid[];
}

export interface ThreadWatchpoints {
  /** For people: which of the ways it is. */
  readonly way: 'perf events' | 'debug registers';
  /** undefined if there are too few registers. */
  arm(request: WatchRequest, threads: Iterable<Tid>): Watch | undefined;
  disarm(watch: Watch): void;
  /** For linux/quick-look.ts; undefined if some of these threads cannot be watched in its way. */
  forQuick?(threads: Iterable<Tid>): QuickWatch | undefined;
  /** Such a watch, with its events: from now on it is like any other. */
  adopt?(request: WatchRequest, word: bigint, events: ReadonlyMap<Tid, PerfEventFd[]>): Watch;
  /** Whatever it lacks, `task`, which stands, gets before it goes on. */
  goesOn(task: Tid): void;
  /** Why `task`, which stands, got SIGTRAP; undefined if not because of us. */
  touchBy(task: Tid): Touch;
  gone(task: Tid): void;
  /** The memory is another one: nothing of it is watched, and no register has anything of us. */
  execed(): void;
  /** Nothing is watched any more; those who stand are asked about by `goesOn` once more. */
  close(): void;
}
