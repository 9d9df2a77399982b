/**
 * The records of all threads of a process, in the order of their times. Of two at the same time, what lets others
 * go on comes first; each thread's own stay in their order.
 */
import { SampledKind } from '../../../linux/agent-protocol.ts';
import type { SamplingLog } from '../../collect/sampling-log.ts';
import { isRelease } from './thread-order.ts';

/** A part of a tick, which is a whole number: times are below 2^52. */
const LATER = 0.5;

export class MergedLogs {
  readonly #logs: readonly SamplingLog[];
  /** Threads, as a heap by the time of their next record. */
  readonly #heap: number[] = [];
  readonly #times: Float64Array;
  readonly #hasMore: Uint8Array;

  constructor(logs: readonly SamplingLog[]) {
    this.#logs = logs;
    this.#times = new Float64Array(logs.length);
    this.#hasMore = new Uint8Array(logs.length);
    for (let thread = 0; thread < logs.length; thread++) {
      this.advance(thread);
      if (this.#hasMore[thread] === 0) continue;
      this.#heap.push(thread);
      this.#rise(this.#heap.length - 1);
    }
  }

  /** Whose record is next; undefined when there is none left. After looking at it, `advance` and `settle`. */
  first(): number | undefined {
    return this.#heap[0];
  }

  /** Goes on in that log; the time of what comes there then, or of what was there last. */
  advance(thread: number): number {
    const log = this.#logs[thread]!;
    const isMore = log.next();
    this.#hasMore[thread] = isMore ? 1 : 0;
    const isLater =
      isMore && !(log.kind === SampledKind.DH_SAMPLED_SYNC && isRelease(log.op)) ? LATER : 0;
    // Whatever a damaged clock says, a thread's records stay in their order.
    this.#times[thread] = Math.max(log.time + isLater, this.#times[thread]!);
    return log.time;
  }

  /** Finds the place of the first one again, after `advance`. */
  settle(): void {
    const thread = this.#heap[0]!;
    if (this.#hasMore[thread] === 0) {
      const last = this.#heap.pop()!;
      if (this.#heap.length === 0) return;
      this.#heap[0] = last;
    }
    this.#sink(0);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(heap[at]!, heap[parent]!)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    const heap = this.#heap;
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < heap.length && this.#isBefore(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && this.#isBefore(heap[right]!, heap[least]!)) least = right;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [mine, theirs] = [this.#times[one]!, this.#times[other]!];
    return mine < theirs || (mine === theirs && one < other);
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    [heap[one], heap[other]] = [heap[other]!, heap[one]!];
  }
}
