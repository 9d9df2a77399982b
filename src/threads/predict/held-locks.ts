/**
 * The locks that each thread holds while a trace is read, as lists that stay as they are once made: who
 * keeps one still has it when the thread has long let go.
 *
 *   acquire a   acquire b   release a          lists  [a]  [b a]  [b]
 *
 * A lock that its holder takes again is one critical section, from the first acquire to the last release.
 */
import { Op } from '../model/op.ts';
import type { Moment } from './clocks.ts';

export interface CriticalSection {
  readonly lock: number;
  readonly thread: number;
  readonly isShared: boolean;
  /** Of the acquire: its place in the trace, and among the events of its thread. */
  readonly event: number;
  readonly index: number;
  /** The last release, once it has come. */
  release: Moment | undefined;
  /** How often it has been taken and not let go of. */
  depth: number;
}

export interface Held {
  readonly section: CriticalSection;
  readonly further: Held | undefined;
}

/** What an event did: a section that it began or ended, none if the lock is still or was already held. */
export type Change =
  | { readonly kind: 'began' | 'ended'; readonly section: CriticalSection }
  | { readonly kind: 'unknown holder' }
  | undefined;

export class HeldLocks {
  readonly #held: (Held | undefined)[] = [];

  of(thread: number): Held | undefined {
    return this.#held[thread];
  }

  /** For acquires and releases, shared ones too. */
  step(thread: number, index: number, event: number, op: number, lock: number): Change {
    const section = this.#sectionOf(thread, lock);
    if (op === Op.acquire || op === Op.acquireShared) {
      if (section !== undefined) {
        section.depth++;
        return undefined;
      }
      const isShared = op === Op.acquireShared;
      const fresh = { lock, thread, isShared, event, index, release: undefined, depth: 1 };
      this.#set(thread, { section: fresh, further: this.#held[thread] });
      return { kind: 'began', section: fresh };
    }
    if (section === undefined) return { kind: 'unknown holder' };
    if (--section.depth > 0) return undefined;
    this.#set(thread, without(this.#held[thread]!, section));
    return { kind: 'ended', section };
  }

  #sectionOf(thread: number, lock: number): CriticalSection | undefined {
    let held = this.#held[thread];
    while (held !== undefined && held.section.lock !== lock) held = held.further;
    return held?.section;
  }

  #set(thread: number, held: Held | undefined): void {
    while (this.#held.length <= thread) this.#held.push(undefined);
    this.#held[thread] = held;
  }
}

function without({ section, further }: Held, leftOut: CriticalSection): Held | undefined {
  if (section === leftOut) return further;
  return { section, further: without(further!, leftOut) };
}
