/**
 * Up to 65,536 events, one after the other, as four columns. A loop over a trace is two loops, the inner
 * one over arrays:
 *
 *   for (const { count, threads, ops, targets, sites } of trace.chunks())
 *     for (let i = 0; i < count; i++) if (ops[i] === Op.write) …
 *
 * Thirteen bytes an event: ten million take 130 MB.
 */
export const EVENTS_PER_CHUNK = 1 << 16;

export class EventColumns {
  readonly threads: Uint32Array;
  readonly ops: Uint8Array;
  readonly targets: Uint32Array;
  readonly sites: Uint32Array;
  count = 0;

  constructor(capacity = EVENTS_PER_CHUNK) {
    this.threads = new Uint32Array(capacity);
    this.ops = new Uint8Array(capacity);
    this.targets = new Uint32Array(capacity);
    this.sites = new Uint32Array(capacity);
  }

  get isFull(): boolean {
    return this.count === this.ops.length;
  }

  append(thread: number, op: number, target: number, site: number): void {
    const at = this.count++;
    this.threads[at] = thread;
    this.ops[at] = op;
    this.targets[at] = target;
    this.sites[at] = site;
  }

  /** Copies what fits of the other's events from `from` on; returns how many that were. */
  appendFrom(other: EventColumns, from: number): number {
    const copied = Math.min(this.ops.length - this.count, other.count - from);
    this.threads.set(other.threads.subarray(from, from + copied), this.count);
    this.ops.set(other.ops.subarray(from, from + copied), this.count);
    this.targets.set(other.targets.subarray(from, from + copied), this.count);
    this.sites.set(other.sites.subarray(from, from + copied), this.count);
    this.count += copied;
    return copied;
  }
}
