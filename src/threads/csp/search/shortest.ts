/**
 * One of the shortest ways to a race, counted in synchronisation events: best first, by what has been
 * done and what is left to be done at least (A*). Nothing is taken at once here, as in `decide.ts`: what is
 * not needed for the race should not be done at all.
 */
import { Machine, type Row } from './machine.ts';
import type { Move } from './path.ts';
import { Rows } from './rows.ts';

const UNREACHED = 0x7fffffff;

/** Undefined if there is none within so many states. `needed`: steps of each thread that must be done. */
export function shortest(
  machine: Machine,
  needed: Int32Array,
  mostStates: number,
): { readonly states: number; readonly moves: readonly Move[] | undefined } {
  return new BestFirst(machine, needed, mostStates).run();
}

class BestFirst {
  readonly #machine: Machine;
  readonly #mostStates: number;
  readonly #rows: Rows;
  /** By thread and position: the events that are left until as many steps are done as are needed. */
  readonly #left: readonly Int32Array[];
  readonly #costs: number[] = [];
  readonly #parents: number[] = [];
  readonly #moves: (Move | undefined)[] = [];
  readonly #isDone: boolean[] = [];
  /** By what a way costs at least: states to go on from. */
  readonly #buckets: number[][] = [];

  constructor(machine: Machine, needed: Int32Array, mostStates: number) {
    this.#machine = machine;
    this.#mostStates = mostStates;
    this.#rows = new Rows(machine.start.length);
    this.#left = machine.chains.map(({ steps }, chain) => {
      const left = new Int32Array(steps.length + 1);
      for (let at = Math.min(steps.length, needed[chain]!) - 1; at >= 0; at--) {
        left[at] = left[at + 1]! + cost(machine, chain, at);
      }
      return left;
    });
  }

  run(): { states: number; moves: readonly Move[] | undefined } {
    this.#reach(this.#machine.start, 0, -1, undefined);
    for (let least = 0; least < this.#buckets.length; least++) {
      const bucket = this.#buckets[least] ?? [];
      // It grows while it is emptied: steps that cost nothing stay in it.
      for (let state = bucket.pop(); state !== undefined; state = bucket.pop()) {
        if (this.#isDone[state]) continue;
        this.#isDone[state] = true;
        const row = this.#rows.at(state);
        if (this.#machine.isRace(row)) return { states: this.#rows.count, moves: this.#way(state) };
        this.#expand(state, row);
        if (this.#rows.count > this.#mostStates) {
          return { states: this.#rows.count, moves: undefined };
        }
      }
    }
    return { states: this.#rows.count, moves: undefined };
  }

  #expand(state: number, row: Row): void {
    const machine = this.#machine;
    for (let chain = 0; chain < machine.chains.length; chain++) {
      if (!machine.isEnabled(row, chain)) continue;
      const total = this.#costs[state]! + cost(machine, chain, row[chain]!);
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
    let least = total;
    for (let chain = 0; chain < this.#left.length; chain++)
      least += this.#left[chain]![row[chain]!]!;
    const bucket = this.#buckets[least];
    if (bucket === undefined) this.#buckets[least] = [number];
    else bucket.push(number);
  }

  #way(state: number): readonly Move[] {
    const moves: Move[] = [];
    for (let at = state; this.#moves[at] !== undefined; at = this.#parents[at]!) {
      moves.push(this.#moves[at]!);
    }
    return moves.reverse();
  }
}

function cost(machine: Machine, chain: number, position: number): number {
  return Machine.isSynchronisation(machine.chains[chain]!.steps[position]!) ? 1 : 0;
}
