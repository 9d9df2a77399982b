/**
 * Tells those who stand in for others when to say what, while a recording is followed: when the program comes to
 * the call that has found it there. If that call may only have looked in passing, it is not made before it
 * is there again:
 *
 *   poll(3, …, 0) = 1       recorded: the answer had come by then
 *   poll(3, …, 0) = 0       now, had we not waited for the other thread to answer
 */
import type { Pid } from '../../../linux/ids.ts';
import { waitUntilReadable } from '../../../linux/readable.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { Cue } from './conversation.ts';

/** Utterances by their ids. */
export type Said = readonly number[] | 'everything';

/** For our own main thread, however busy the machine is; nobody waits that long otherwise. */
const LONGEST_WAIT_MS = 5000;

export class Prompter {
  readonly #cues: ReadonlyMap<unknown, readonly Cue[]>;
  readonly #say: (utterances: Said) => void;

  constructor(cues: ReadonlyMap<CallRecord, readonly Cue[]>, say: (utterances: Said) => void) {
    this.#cues = cues;
    this.#say = say;
  }

  /** Whether this call, of the recording, waits for somebody outside. */
  waits(record: unknown): boolean {
    return this.#cues.has(record);
  }

  /** It is about to be made again, by this process; undefined: whether it is there or not. */
  before(record: unknown, process: Pid | undefined): void {
    const cues = this.#cues.get(record);
    if (!cues) return;
    this.#say(cues.map(({ utterance }) => utterance));
    for (const { fd, isDue } of cues) {
      if (isDue && process !== undefined) waitUntilReadable(process, fd, LONGEST_WAIT_MS);
    }
  }

  /** Nothing is followed any more. */
  letGo(): void {
    this.#say('everything');
  }
}
