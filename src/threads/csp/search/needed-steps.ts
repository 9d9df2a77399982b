/**
 * How far each thread has to be, whatever the order, for two threads to stand where they race: a cheap look
 * that rules out most pairs without any search.
 *
 *   T1  w(x) fork T2          both threads at w(x): T2 must have begun, so T1 must have forked,
 *   T2  begin w(x)            and is past its w(x): there is no race
 *
 * Orders by locks, semaphores and conditions are no part of it: others could have come first there.
 */
import type { Step } from '../program/step.ts';
import type { Machine } from './machine.ts';

type Place = readonly [chain: number, position: number];

export class NeededSteps {
  readonly #machine: Machine;
  readonly #forks = new Map<number, Place>();
  readonly #ends = new Map<number, Place>();
  /** By variable and number. */
  readonly #stores = new Map<string, Place>();
  /** By barrier, in the order of the trace. */
  readonly #arrivals = new Map<number, Place[]>();

  constructor(machine: Machine) {
    this.#machine = machine;
    for (const [chain, { steps }] of machine.chains.entries()) {
      for (const [position, step] of steps.entries()) this.#note(step, [chain, position]);
    }
    for (const places of this.#arrivals.values()) {
      places.sort((a, b) => this.#stepAt(a).at - this.#stepAt(b).at);
    }
  }

  /** By thread, how many of its steps; undefined if something is needed that nobody ever does. */
  before(positions: ReadonlyMap<number, number>): Int32Array | undefined {
    const { chains } = this.#machine;
    const needed = new Int32Array(chains.length);
    const looked = new Int32Array(chains.length);
    for (const [chain, position] of positions) needed[chain] = position;
    for (let isChanging = true; isChanging; ) {
      isChanging = false;
      for (const [chain, { steps, cells }] of chains.entries()) {
        for (; looked[chain]! < needed[chain]!; looked[chain]!++) {
          const at = looked[chain]!;
          const causes = this.#causes(steps[at]!, cells[at]!);
          if (causes === undefined) return undefined;
          for (const [other, position] of causes) {
            if (needed[other]! <= position) needed[other] = position + 1;
          }
          isChanging = true;
        }
      }
    }
    return needed;
  }

  /** Of what a racing thread does after the race, nothing is here. */
  #causes({ kind, object, need }: Step, cell: number): readonly Place[] | undefined {
    const start = this.#machine.start[cell]!;
    switch (kind) {
      case 'begin':
        return start === 1 ? [] : found(this.#forks.get(object));
      case 'join':
        return start === 1 ? [] : found(this.#ends.get(object));
      case 'load':
      case 'update':
        return start === need ? [] : found(this.#stores.get(`${object} ${need}`));
      case 'arrive':
      case 'leave': {
        const count = Math.max(0, need - start);
        const arrivals = this.#arrivals.get(object) ?? [];
        return arrivals.length < count ? undefined : arrivals.slice(0, count);
      }
      default:
        return [];
    }
  }

  #note(step: Step, place: Place): void {
    const { kind, object, make } = step;
    if (kind === 'fork' && !this.#forks.has(object)) this.#forks.set(object, place);
    if (kind === 'end') this.#ends.set(object, place);
    if (kind === 'store' || kind === 'update') this.#stores.set(`${object} ${make}`, place);
    if (kind !== 'arrive') return;
    const places = this.#arrivals.get(object);
    if (places === undefined) this.#arrivals.set(object, [place]);
    else places.push(place);
  }

  #stepAt([chain, position]: Place): Step {
    return this.#machine.chains[chain]!.steps[position]!;
  }
}

function found(place: Place | undefined): readonly Place[] | undefined {
  return place === undefined ? undefined : [place];
}
