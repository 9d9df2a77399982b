/**
 * The program of a race model as a machine over rows of numbers: how many steps each thread has done, then
 * a cell for each thing that threads wait for (program/start-values.ts says what is in it).
 *
 *   T1  lock m, unlock m     T2  lock m       row: [0, 0 | 0]  ──T1──▶  [1, 0 | 1]      T2 has to wait
 *
 * What it allows is what the processes of program/processes.ts allow, only faster.
 */
import { NONE } from '../../model/op.ts';
import { isConflict } from '../program/conflict.ts';
import type { RaceModel, Stop } from '../program/race-model.ts';
import { Waiting } from '../program/start-values.ts';
import { familyOf, type Step } from '../program/step.ts';

export type Row = Int32Array;

interface Chain {
  readonly thread: number;
  readonly steps: readonly Step[];
  /** By step, its cell; that of a condition is the thread's own, or -1. */
  readonly cells: Int32Array;
}

export class Machine {
  readonly chains: readonly Chain[];
  /** Of the two threads that race, as places in `chains`. */
  readonly racing: readonly [number, number];
  readonly start: Row;
  /** By racing thread and position: the kinds of accesses that are there. */
  readonly #kinds: readonly [Uint8Array, Uint8Array];
  readonly #stops: readonly [readonly Stop[], readonly Stop[]];
  /** By condition: the cells of those who ever wait for it. */
  readonly #waiters = new Map<number, number[]>();

  constructor(model: RaceModel) {
    const cellOf = new Map<string, number>();
    const values: number[] = [];
    const width = model.steps.size;
    const cell = (key: string, value: () => number): number => {
      const known = cellOf.get(key);
      if (known !== undefined) return known;
      cellOf.set(key, width + values.length);
      return width + values.push(value()) - 1;
    };
    this.chains = [...model.steps].map(([thread, steps]) => ({
      thread,
      steps,
      cells: Int32Array.from(steps, ({ kind, object }) => {
        const family = familyOf[kind];
        if (family !== 'condition') {
          const isFresh = family === 'variable' && model.isSound;
          return cell(`${family} ${object}`, () => (isFresh ? 0 : model.start.of(family, object)));
        }
        if (kind === 'signal' || kind === 'broadcast' || kind === 'waitEnd') return -1;
        const own = cell(`condition ${object} ${thread}`, () =>
          model.start.waiting(object, thread),
        );
        const waiters = this.#waiters.get(object) ?? [];
        if (!waiters.includes(own)) waiters.push(own);
        this.#waiters.set(object, waiters);
        return own;
      }),
    }));
    this.start = Int32Array.from([...new Array<number>(width).fill(0), ...values]);
    const [first, second] = model.racing.map((thread) =>
      this.chains.findIndex((chain) => chain.thread === thread),
    );
    this.racing = [first!, second!];
    this.#stops = model.stops;
    this.#kinds = [this.#kindsOf(0), this.#kindsOf(1)];
  }

  /** The next step of a thread, if it has one left. */
  next(row: Row, chain: number): Step | undefined {
    return this.chains[chain]!.steps[row[chain]!];
  }

  /** How many places it takes in a witness. */
  static costOf(step: Step): number {
    return step.event === NONE ? 0 : 1;
  }

  /** Whether a thread stands where it may be part of a race. */
  isAtStop(row: Row, chain: number): boolean {
    const side = this.racing.indexOf(chain);
    return side >= 0 && this.#kinds[side as 0 | 1][row[chain]!] !== 0;
  }

  isRace(row: Row): boolean {
    const [first, second] = this.racing;
    const [ofFirst, ofSecond] = this.#kinds;
    return isConflict(ofFirst[row[first]!]!, ofSecond[row[second]!]!);
  }

  stopsAt(row: Row): readonly [Stop, Stop] {
    const [first, second] = this.racing.map(
      (chain, side) => this.#stops[side as 0 | 1].find((stop) => stop.position === row[chain])!,
    );
    return [first!, second!];
  }

  isEnabled(row: Row, chain: number): boolean {
    const at = row[chain]!;
    const { thread, steps, cells } = this.chains[chain]!;
    const step = steps[at];
    if (step === undefined) return false;
    const value = row[cells[at]!]!;
    switch (step.kind) {
      case 'begin':
      case 'join':
        return value === 1;
      case 'lock':
        return value === 0;
      case 'unlock':
        return value === thread + 1;
      case 'lockShared':
        return value <= 0;
      case 'unlockShared':
        return value < 0;
      case 'woken':
        return value === Waiting.woken;
      case 'waitDone':
        return value > 0;
      case 'arrive':
      case 'leave':
        return value >= step.need;
      case 'onceBegin':
        return value % 2 === 0;
      case 'onceEnd':
        return value % 2 === 1;
      case 'oncePass':
        return value === 2 * step.need;
      case 'load':
      case 'update':
        return value === step.need;
      case 'fork':
      case 'end':
      case 'waitBegin':
      case 'lapsed':
      case 'waitEnd':
      case 'signal':
      case 'broadcast':
      case 'post':
      case 'store':
        return true;
    }
  }

  /** The cells that a step may wake, one of them; none if it wakes nobody, or everybody. */
  wakes(row: Row, chain: number): readonly number[] {
    const step = this.next(row, chain)!;
    if (step.kind !== 'signal') return [];
    const waiters = this.#waiters.get(step.object) ?? [];
    return waiters.filter((cell) => row[cell] === Waiting.yes);
  }

  /** Takes an enabled step of a thread. `wake`: one of its wakes, if it has any. */
  take(row: Row, chain: number, wake: number | undefined): void {
    const at = row[chain]!++;
    const { thread, steps, cells } = this.chains[chain]!;
    const step = steps[at]!;
    const cell = cells[at]!;
    switch (step.kind) {
      case 'fork':
      case 'end':
        row[cell] = 1;
        break;
      case 'lock':
        row[cell] = thread + 1;
        break;
      case 'unlock':
        row[cell] = 0;
        break;
      case 'unlockShared':
      case 'post':
      case 'arrive':
      case 'onceBegin':
      case 'onceEnd':
        row[cell]!++;
        break;
      case 'lockShared':
      case 'waitDone':
        row[cell]!--;
        break;
      case 'waitBegin':
        row[cell] = Waiting.yes;
        break;
      case 'woken':
      case 'lapsed':
        row[cell] = Waiting.no;
        break;
      case 'signal':
        if (wake !== undefined) row[wake] = Waiting.woken;
        break;
      case 'broadcast':
        for (const one of this.#waiters.get(step.object) ?? []) {
          if (row[one] === Waiting.yes) row[one] = Waiting.woken;
        }
        break;
      case 'store':
      case 'update':
        row[cell] = step.make;
        break;
      case 'begin':
      case 'join':
      case 'waitEnd':
      case 'leave':
      case 'oncePass':
      case 'load':
        break;
    }
  }

  #kindsOf(side: 0 | 1): Uint8Array {
    const kinds = new Uint8Array(this.chains[this.racing[side]]!.steps.length + 1);
    for (const stop of this.#stops[side]) kinds[stop.position] = stop.kinds;
    return kinds;
  }
}
