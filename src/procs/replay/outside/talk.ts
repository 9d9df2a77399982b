/**
 * Plays somebody whom the program talked to when it was recorded. Each of its connections gets the first
 * conversation that nobody else has had and that began with the same words:
 *
 *   recorded        "GET a" → "A",  "GET b" → "B"
 *   now, at first   "GET b"                           gets "B", in whatever order they come
 *   now, at first   "GET c"                           is told nothing: it talks otherwise
 *
 * What was recorded after so many bytes is said after as many, and not before its cue, as long as the recording
 * is followed. A program that says something else, or more, or
 * connects more often, has left what is known; nothing that it does then proves anything.
 */
import { MOST_OF_SOCKET } from '../../recorder/connected-sockets.ts';
import type { Conversation, Utterance } from './conversation.ts';
import type { OutsidePeer } from './outside-peers.ts';

export interface Reply {
  readonly bytes: Uint8Array;
  /** Nothing more will come. */
  readonly end?: 'closed' | 'reset' | undefined;
}

/** Which utterances and ends, by their ids, need no longer be held back. */
export type Released = (id: number) => boolean;

const NOTHING: Reply = { bytes: new Uint8Array() };

export class PlayedPeer {
  readonly #unused: Conversation[];
  readonly #talks: Talk[] = [];
  readonly #most: number;

  readonly #isReleased: Released;

  constructor({ conversations }: Pick<OutsidePeer, 'conversations'>, isReleased: Released) {
    this.#isReleased = isReleased;
    this.#unused = [...conversations];
    this.#most = conversations.length;
  }

  connected(): Talk {
    const talk = new Talk(this.#unused, this.#isReleased);
    this.#talks.push(talk);
    return talk;
  }

  /** Whether what was said so far is certainly not what was recorded. */
  get isOtherwise(): boolean {
    return this.#talks.length > this.#most || this.#talks.some((talk) => talk.isOtherwise);
  }

  /** The same if nothing more will be said. */
  get hasEndedOtherwise(): boolean {
    return this.isOtherwise || this.#talks.some((talk) => talk.isWaitedFor);
  }
}

export class Talk {
  /** Shared with the other connections. */
  readonly #unused: Conversation[];
  /** As much of it as is ever compared, and how much it was. */
  #heard = Buffer.alloc(0);
  #heardLength = 0;
  #hasEnded = false;
  #conversation: Conversation | undefined;
  /** How many utterances were said, and after how many bytes the last of them. */
  #said = 0;
  #saidAfter = 0;
  #hasSaidAll = false;

  readonly #isReleased: Released;

  constructor(unused: Conversation[], isReleased: Released) {
    this.#unused = unused;
    this.#isReleased = isReleased;
  }

  hears(bytes: Uint8Array): void {
    this.#heardLength += bytes.length;
    const room = MOST_OF_SOCKET - this.#heard.length;
    if (room > 0) this.#heard = Buffer.concat([this.#heard, bytes.subarray(0, room)]);
  }

  hearsEnd(): void {
    this.#hasEnded = true;
  }

  get isOtherwise(): boolean {
    const conversation = this.#candidate;
    if (!conversation) return true;
    return this.#conversation !== undefined && !conversation.isWhole;
  }

  /** Whether it was told something, but not enough to be answered as it was when that was recorded. */
  get isWaitedFor(): boolean {
    const conversation = this.#candidate;
    if (!conversation || this.#hasSaidAll || this.#heardLength <= this.#saidAfter) return false;
    return this.#said < conversation.utterances.length || conversation.end !== undefined;
  }

  /** Nothing more will be heard, but what there is to say comes after more than that. */
  get isOver(): boolean {
    const next = this.#candidate?.utterances[this.#said] ?? this.#candidate?.end;
    return this.#hasEnded && (next === undefined || next.after > this.#progress);
  }

  /** What is to be said now. */
  reply(): Reply {
    const conversation = this.#candidate;
    if (!conversation || this.#hasSaidAll) return NOTHING;
    const { end } = conversation;
    const due = this.#dueOf(conversation);
    const isAll = this.#said + due.length === conversation.utterances.length;
    // Who says that there is no more, and was not told so before, only wants to leave.
    const ends = isAll && (end ? this.#isDue(end) : this.#hasEnded);
    if (due.length === 0 && !ends) return NOTHING;
    this.#take(conversation);
    this.#said += due.length;
    this.#saidAfter = due.at(-1)?.after ?? this.#saidAfter;
    this.#hasSaidAll = ends;
    const bytes = Buffer.concat(due.map((utterance) => utterance.bytes));
    return { bytes, end: ends ? (end?.isReset ? 'reset' : 'closed') : undefined };
  }

  get #candidate(): Conversation | undefined {
    if (!this.#conversation) {
      const possible = this.#unused.filter((one) => this.#beginsLike(one));
      return possible.find((one) => this.#dueOf(one).length > 0) ?? possible[0];
    }
    return this.#beginsLike(this.#conversation) ? this.#conversation : undefined;
  }

  /** See conversation.ts. */
  get #progress(): number {
    return this.#heardLength + Number(this.#hasEnded);
  }

  #dueOf({ utterances }: Conversation): readonly Utterance[] {
    const next = utterances.slice(this.#said);
    const held = next.findIndex((utterance) => !this.#isDue(utterance));
    return held < 0 ? next : next.slice(0, held);
  }

  #isDue({ after, id }: Pick<Utterance, 'after' | 'id'>): boolean {
    return after <= this.#progress && this.#isReleased(id);
  }

  #beginsLike({ sent, sentLength }: Conversation): boolean {
    const comparable = Math.min(sent.length, this.#heard.length);
    return (
      this.#heardLength <= sentLength &&
      this.#heard.subarray(0, comparable).equals(sent.subarray(0, comparable))
    );
  }

  #take(conversation: Conversation): void {
    if (this.#conversation) return;
    this.#conversation = conversation;
    this.#unused.splice(this.#unused.indexOf(conversation), 1);
  }
}
