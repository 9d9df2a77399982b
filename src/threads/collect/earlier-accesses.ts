/**
 * Accesses that a log does not have itself, because nobody else had touched that memory yet: another thread
 * has told of them when it came (DH_LOG_EARLIER). Each has its place in the thread that made it, at the end
 * of the epoch that is named.
 *
 *   thread 3 says: thread 2 wrote 0x5010 in its epoch 7    →    thread 2, after its 7th operation
 */
import type { AgentLog } from '../../linux/agent-log.ts';
import { AccessFlag } from '../../linux/agent-protocol.ts';
import { firstAbove, GrowingBytes, GrowingFloats, GrowingWords } from './growing.ts';

export class EarlierAccesses {
  readonly threads = new GrowingWords();
  readonly epochs = new GrowingWords();
  readonly addresses = new GrowingFloats();
  readonly flags = new GrowingBytes();
  /** Numbers as in the logs; DH_NO_SITE if not known. */
  readonly sites = new GrowingWords();
  /** All without doubles: by thread, then by epoch. */
  #order = new Uint32Array(0);
  /** Of each thread, the place of its first one in the order, and the end of the last thread's. */
  readonly #firsts: Uint32Array;
  #orderedEpochs = new Float64Array(0);

  constructor(threads: number) {
    this.#firsts = new Uint32Array(threads + 1);
  }

  add(log: AgentLog, thread: number): void {
    this.threads.push(thread);
    this.epochs.push(log.epoch);
    this.addresses.push(log.address);
    this.flags.push(log.op & (AccessFlag.DH_READ | AccessFlag.DH_WRITE));
    this.sites.push(log.otherSite);
  }

  /** No more will be added. */
  close(): void {
    const all = Uint32Array.from({ length: this.threads.length }, (_, i) => i);
    all.sort((a, b) => this.#compare(a, b));
    this.#order = all.filter((one, i) => i === 0 || this.#compare(all[i - 1]!, one) !== 0);
    for (const one of this.#order) this.#firsts[this.threads.items[one]! + 1]!++;
    for (let i = 1; i < this.#firsts.length; i++) this.#firsts[i]! += this.#firsts[i - 1]!;
    this.#orderedEpochs = Float64Array.from(this.#order, (one) => this.epochs.items[one]!);
  }

  /** Those of a thread's epoch. */
  forEach(thread: number, epoch: number, visit: (one: number) => void): void {
    const [first, end] = [this.#firsts[thread]!, this.#firsts[thread + 1]!];
    if (first === end) return;
    const epochs = this.#orderedEpochs.subarray(first, end);
    let at = firstAbove(epochs, epochs.length, epoch - 1);
    for (; at < epochs.length && epochs[at] === epoch; at++) visit(this.#order[first + at]!);
  }

  #compare(a: number, b: number): number {
    const { threads, epochs, addresses, flags, sites } = this;
    return (
      threads.items[a]! - threads.items[b]! ||
      epochs.items[a]! - epochs.items[b]! ||
      addresses.items[a]! - addresses.items[b]! ||
      flags.items[a]! - flags.items[b]! ||
      sites.items[a]! - sites.items[b]!
    );
  }
}
