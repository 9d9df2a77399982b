/**
 * Whether a race can be reached at all: each state once, those first from which the least is left to do.
 * Steps that take nothing away from others are taken at once (rivals.ts), so that only real decisions make
 * new states, such as who gets a lock first.
 */

import { Buckets } from './buckets.ts';
import { type Limits, Patience } from './limits.ts';
import type { Machine, Row } from './machine.ts';
import type { Move } from './path.ts';
import { Remaining } from './remaining.ts';
import { Rivals } from './rivals.ts';
import { Rows } from './rows.ts';

export type Decision =
  | { readonly kind: 'race'; readonly states: number; readonly moves: readonly Move[] }
  | { readonly kind: 'none' | 'undecided'; readonly states: number };

/** `needed`: how many of its steps each thread must have done. */
export function decide(machine: Machine, needed: Int32Array, limits: Limits): Decision {
  return new NearestFirst(machine, needed, limits).run();
}

class NearestFirst {
  readonly #machine: Machine;
  readonly #patience: Patience;
  readonly #remaining: Remaining;
  readonly #rivals: Rivals;
  readonly #open = new Buckets();
  readonly #rows: Rows;
  /** By state, the one before it and the move that led here. */
  readonly #parents: number[] = [];
  readonly #moves: (Move | undefined)[] = [];

  constructor(machine: Machine, needed: Int32Array, limits: Limits) {
    this.#machine = machine;
    this.#patience = new Patience(limits);
    this.#remaining = new Remaining(machine, needed);
    this.#rivals = new Rivals(machine);
    this.#rows = new Rows(machine.start.length);
  }

  run(): Decision {
    const machine = this.#machine;
    const first = machine.start.slice();
    this.#settle(first);
    this.#keep(first, -1, undefined);
    if (machine.isRace(first)) return this.#reached(0);
    for (let state = this.#open.take(); state !== undefined; state = this.#open.take()) {
      const row = this.#rows.at(state);
      for (let chain = 0; chain < machine.chains.length; chain++) {
        if (!machine.isEnabled(row, chain)) continue;
        const wakes = machine.wakes(row, chain);
        for (const wake of wakes.length === 0 ? [undefined] : wakes) {
          const next = row.slice();
          machine.take(next, chain, wake);
          this.#settle(next);
          const number = this.#keep(next, state, { chain, wake });
          if (number === undefined) continue;
          if (machine.isRace(next)) return this.#reached(number);
          if (this.#patience.isSpent(this.#rows.count)) {
            return { kind: 'undecided', states: this.#rows.count };
          }
        }
      }
    }
    return { kind: 'none', states: this.#rows.count };
  }

  #settle(row: Row, noted?: Move[]): void {
    const machine = this.#machine;
    // No thread leaves a stop here, so no race is walked past.
    for (;;) {
      const chain = this.#rivals.harmless(row);
      if (chain === undefined) return;
      const [wake] = machine.wakes(row, chain);
      machine.take(row, chain, wake);
      noted?.push({ chain, wake });
    }
  }

  #keep(row: Row, parent: number, move: Move | undefined): number | undefined {
    const count = this.#rows.count;
    const number = this.#rows.numberOf(row);
    if (number < count) return undefined;
    this.#parents.push(parent);
    this.#moves.push(move);
    this.#open.add(number, this.#remaining.of(row));
    return number;
  }

  #reached(state: number): Decision {
    const decisions: Move[] = [];
    for (let at = state; this.#moves[at] !== undefined; at = this.#parents[at]!) {
      decisions.push(this.#moves[at]!);
    }
    const moves: Move[] = [];
    const row = this.#machine.start.slice();
    this.#settle(row, moves);
    for (const move of decisions.reverse()) {
      this.#machine.take(row, move.chain, move.wake);
      moves.push(move);
      this.#settle(row, moves);
    }
    return { kind: 'race', states: this.#rows.count, moves };
  }
}
