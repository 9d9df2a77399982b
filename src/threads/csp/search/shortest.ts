/**
 * One of the shortest ways to a race, counted in synchronisation events: best first, by what has been
 * done and what is left to be done at least (A*). Nothing is taken at once here, as in `decide.ts`: what is
 * not needed for the race should not be done at all.
 */

import { Buckets } from './buckets.ts';
import { type Limits, Patience } from './limits.ts';
import { Machine, type Row } from './machine.ts';
import type { Move } from './path.ts';
import { Remaining } from './remaining.ts';
import { Rows } from './rows.ts';

const UNREACHED = 0x7fffffff;

/** Undefined if there is none within so many states. `needed`: steps of each thread that must be done. */
export function shortest(
  machine: Machine,
  needed: Int32Array,
  limits: Limits,
): { readonly states: number; readonly moves: readonly Move[] | undefined } {
  return new BestFirst(machine, needed, limits).run();
}

class BestFirst {
  readonly #machine: Machine;
  readonly #patience: Patience;
  readonly #rows: Rows;
  readonly #remaining: Remaining;
  readonly #costs: number[] = [];
  readonly #parents: number[] = [];
  readonly #moves: (Move | undefined)[] = [];
  readonly #isDone: boolean[] = [];
  /** By what a way through them costs at least. */
  readonly #open = new Buckets();

  constructor(machine: Machine, needed: Int32Array, limits: Limits) {
    this.#machine = machine;
    this.#patience = new Patience(limits);
    this.#rows = new Rows(machine.start.length);
    this.#remaining = new Remaining(machine, needed);
  }

  run(): { states: number; moves: readonly Move[] | undefined } {
    this.#reach(this.#machine.start, 0, -1, undefined);
    for (let state = this.#open.take(); state !== undefined; state = this.#open.take()) {
      if (this.#isDone[state]) continue;
      this.#isDone[state] = true;
      const row = this.#rows.at(state);
      if (this.#machine.isRace(row)) return { states: this.#rows.count, moves: this.#way(state) };
      this.#expand(state, row);
      if (this.#patience.isSpent(this.#rows.count)) break;
    }
    return { states: this.#rows.count, moves: undefined };
  }

  #expand(state: number, row: Row): void {
    const machine = this.#machine;
    for (let chain = 0; chain < machine.chains.length; chain++) {
      if (!machine.isEnabled(row, chain)) continue;
      const total = this.#costs[state]! + Machine.costOf(machine.next(row, chain)!);
      const wakes = machine.wakes(row, chain);
      for (const wake of wakes.length === 0 ? [undefined] : wakes) {
        const next = row.slice();
        machine.take(next, chain, wake);
        this.#reach(next, total, state, { chain, wake });
      }
    }
  }

  #reach(row: Row, total: number, parent: number, move: Move | undefined): void {
    const number = this.#rows.numberOf(row);
    if ((this.#costs[number] ?? UNREACHED) <= total) return;
    this.#costs[number] = total;
    this.#parents[number] = parent;
    this.#moves[number] = move;
    this.#open.add(number, total + this.#remaining.of(row));
  }

  #way(state: number): readonly Move[] {
    const moves: Move[] = [];
    for (let at = state; this.#moves[at] !== undefined; at = this.#parents[at]!) {
      moves.push(this.#moves[at]!);
    }
    return moves.reverse();
  }
}
