/**
 * Barriers of which each round has the same threads, all that ever use it. There, whoever leaves for the
 * n-th time comes after everybody's n-th arrival, in whatever order. Where threads take turns, somebody
 * else could have come instead.
 *
 *   A B | A B | A          fixed: two rounds of both; the third is not over
 *   A B | A C              not fixed: C might have come with A in the first round
 */
import { Op } from '../../model/op.ts';
import type { ThreadTraceSource } from '../../model/trace.ts';

class Use {
  readonly users = new Set<number>();
  /** Who has arrived and not left, and in which round that was. */
  readonly #inside = new Map<number, number>();
  readonly #sizes: number[] = [];
  #round = 0;
  #isOrderly = true;

  arrive(thread: number): void {
    if (this.#inside.has(thread)) this.#isOrderly = false;
    this.users.add(thread);
    this.#inside.set(thread, this.#round);
    this.#sizes[this.#round] = (this.#sizes[this.#round] ?? 0) + 1;
  }

  leave(thread: number): void {
    const round = this.#inside.get(thread);
    this.#inside.delete(thread);
    if (round === undefined) this.#isOrderly = false;
    if (round === this.#round) this.#round++;
  }

  get isFixed(): boolean {
    const over = this.#sizes.slice(0, this.#round);
    return this.#isOrderly && over.every((size) => size === this.users.size);
  }
}

export function fixedBarriers(trace: ThreadTraceSource): Set<number> {
  const uses = new Map<number, Use>();
  for (const { count, threads, ops, targets } of trace.chunks()) {
    for (let i = 0; i < count; i++) {
      if (ops[i] !== Op.arrive && ops[i] !== Op.leave) continue;
      const use = uses.get(targets[i]!) ?? new Use();
      uses.set(targets[i]!, use);
      if (ops[i] === Op.arrive) use.arrive(threads[i]!);
      else use.leave(threads[i]!);
    }
  }
  return new Set([...uses].filter(([, use]) => use.isFixed).map(([barrier]) => barrier));
}
