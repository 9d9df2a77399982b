/**
 * What was said through one connection, as seen by the one who had made it. Of each piece of what came, it is
 * known how much had been sent by then:
 *
 *   sent 18 bytes, received 5000, received 200, sent 9, received nothing: it had ended
 *   utterances  5000 bytes after 18, 200 bytes after 18;  end after 27
 *
 * That nothing more will be sent counts as one more byte: what comes after shutdown(2) comes after 19 here.
 * What poll(2) has told of was there before it was read, and so before what was sent in between. The first
 * call that has found an utterance is its cue: before that, it need not have been there.
 */
import type { CallRecord } from '../../../trace/records/call.ts';

export interface Utterance {
  /** Its own among all utterances and ends of a recording. */
  readonly id: number;
  readonly after: number;
  readonly bytes: Uint8Array;
}

export interface Ending extends Pick<Utterance, 'id' | 'after'> {
  readonly isReset: boolean;
}

/** That a call has found something to read at a descriptor. */
export interface Found {
  readonly call: CallRecord;
  readonly fd: number;
}

export interface Cue extends Found {
  readonly utterance: number;
  /** Nothing was missing any more when the call began: it may have looked in passing only. */
  readonly isDue: boolean;
}

export interface Conversation {
  /** As far as it was kept. */
  readonly sent: Uint8Array;
  /** How much it was. */
  readonly sentLength: number;
  readonly utterances: readonly Utterance[];
  /** How the other side ended it; absent if it did not. */
  readonly end?: Ending | undefined;
  /** Whether all that was received is known. */
  readonly isWhole: boolean;
}

export class ConversationNotes {
  readonly #sent: Uint8Array[] = [];
  readonly #utterances: Utterance[] = [];
  #keptLength = 0;
  #sentLength = 0;
  #hasEndedSending = false;
  /** Who first found that there was something to read, and how much had been sent by then. */
  #found: { readonly by: Found; readonly after: number } | undefined;
  /** When what had been sent; the end of sending, too. */
  readonly #progressed: { readonly exit: number; readonly progress: number }[] = [];
  readonly cues: Cue[] = [];
  readonly #newId: () => number;
  #end: Conversation['end'];
  #isWhole = true;
  /** Whether it has come about. */
  isEstablished = false;

  constructor(newId: () => number) {
    this.#newId = newId;
  }

  /** `kept` may be less. */
  sends({ exit }: CallRecord, length: number, kept: Uint8Array): void {
    // What is missing in the middle cannot be compared, nor anything behind it.
    if (this.#keptLength === this.#sentLength) {
      this.#sent.push(kept);
      this.#keptLength += kept.length;
    }
    this.#sentLength += length;
    this.#progressed.push({ exit, progress: this.#progress });
    this.isEstablished = true;
  }

  endsSending({ exit }: CallRecord): void {
    this.#hasEndedSending = true;
    this.#progressed.push({ exit, progress: this.#progress });
  }

  isReadable(by: Found): void {
    this.#found ??= { by, after: this.#progress };
  }

  receives(by: Found, length: number, kept: Uint8Array): void {
    if (kept.length < length) this.#isWhole = false;
    if (kept.length > 0) this.#utterances.push({ ...this.#placed(by), bytes: kept });
    this.isEstablished = true;
  }

  ends(by: Found, isReset: boolean): void {
    this.#end ??= { ...this.#placed(by), isReset };
    if (!isReset) this.isEstablished = true;
  }

  /** Something moved, and nobody knows how much. */
  losesTrack(): void {
    this.#isWhole = false;
  }

  get conversation(): Conversation {
    return {
      sent: Buffer.concat(this.#sent),
      sentLength: this.#sentLength,
      utterances: this.#utterances,
      end: this.#end,
      isWhole: this.#isWhole,
    };
  }

  get #progress(): number {
    return this.#sentLength + Number(this.#hasEndedSending);
  }

  /** Of what this call has got. */
  #placed(by: Found): Pick<Utterance, 'id' | 'after'> {
    const found = this.#found ?? { by, after: this.#progress };
    this.#found = undefined;
    const id = this.#newId();
    const { entry } = found.by.call;
    const before = this.#progressed.findLast(({ exit }) => exit < entry)?.progress ?? 0;
    this.cues.push({ ...found.by, utterance: id, isDue: found.after <= before });
    return { id, after: found.after };
  }
}
