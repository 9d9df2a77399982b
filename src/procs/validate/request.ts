/** What the thread that runs attempts is asked to do, and what it answers. */
import type { PlainError } from '../../base/plain-error.ts';
import type { Progress } from '../../base/progress.ts';
import type { Report } from '../../report/model.ts';
import type { OrderInFiles } from '../check/order-in-files.ts';
import type { RunOutcome } from '../check/outcome.ts';
import type { Drain } from '../replay/captured-output.ts';
import type { OutsidePeer } from '../replay/outside/outside-peers.ts';
import type { Said } from '../replay/outside/prompter.ts';

/** Which way the program is to run. Races are counted from 0, as in the report. */
export type Way =
  | { kind: 'recorded' }
  /** As it comes. */
  | { kind: 'free' }
  /** `instance`: 0 for the one that the report tells of, then its alternatives. */
  | { kind: 'branch'; race: number; instance: number }
  /** Freely, but the side that came first has to wait for the other. */
  | { kind: 'ambush'; race: number }
  /** The racing processes one after the other: `turned`, the one first that came second. */
  | { kind: 'serial'; race: number; instance: number; turned: boolean }
  /** All that changed one of these files, in the order in which they last did so in that trace. */
  | { kind: 'serial-like'; trace: string; paths: readonly string[] };

export interface Request {
  readonly way: Way;
  /** Where to leave everything. */
  readonly folder: string;
  /** See recorder/control.ts. */
  readonly control: SharedArrayBuffer;
}

/** In place of a request: there will be no more. */
export const END = 'end';

export interface Tried {
  readonly outcome: Omit<RunOutcome, 'hung'>;
  /** Why it did not go the way it was meant to. */
  readonly diverged?: string | undefined;
  /** It went that way, but something on it came in another order than recorded. */
  readonly outOfTurn?: string | undefined;
  /** For an alternative instance: how a report tells of it. */
  readonly told?: Pick<Report, 'races' | 'tasks'> | undefined;
}

/** What was found in the recording. */
export interface Found {
  readonly report: Report;
  /** See detect/doubtful.ts; they are counted on behind those of the report. */
  readonly doubtful: Pick<Report, 'races' | 'tasks'>;
  readonly orderIn: OrderInFiles;
}

export type Answer =
  /**
   * `found` unless nobody looked for races; `missing`: see missing-surroundings.ts; `outside`: whom the
   * program has talked to; `processorMs`: what it took to get ready.
   */
  | {
      kind: 'ready';
      found?: Found;
      umask: number;
      missing: readonly string[];
      outside: readonly OutsidePeer[];
      processorMs: number;
    }
  /** How far it has come, with what it reads or runs. */
  | { kind: 'progress'; progress: Progress }
  | { kind: 'drain'; drain: Drain }
  /** Somebody can connect to the peer of that number, at this descriptor. */
  | { kind: 'stand-in'; peer: number; listening: number }
  /** What may be said there. */
  | { kind: 'say'; utterances: Said }
  /** undefined: there is no such way. */
  | { kind: 'tried'; tried: Tried | undefined }
  | { kind: 'broken'; error: PlainError };

export interface ThreadTask {
  readonly runPath: string;
  /** What the program is not to see: trace/run-directory.ts. */
  readonly home: string;
  readonly version: string;
  /** Also races without consequence. */
  readonly all: boolean;
  /** Whether attempts are to be recorded in full, so that races can be looked for in them. */
  readonly recordsAttempts?: boolean;
  /** Whether nothing but the recorded order is to be run: then nobody looks for races. */
  readonly onlyRecordedOrder?: boolean;
}
