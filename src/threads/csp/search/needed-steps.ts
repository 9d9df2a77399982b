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

  /** By thread, how many of its steps; more than it has left before its place if that cannot be. */
  before(positions: ReadonlyMap<number, number>): Int32Array {
    const needed = new Int32Array(this.#machine.chains.length);
    const looked = new Int32Array(this.#machine.chains.length);
    for (const [chain, position] of positions) needed[chain] = position;
    for (let isChanging = true; isChanging; ) {
      isChanging = false;
      for (const [chain, { steps, cells }] of this.#machine.chains.entries()) {
        for (; looked[chain]! < Math.min(needed[chain]!, steps.length); looked[chain]!++) {
          const at = looked[chain]!;
          for (const [other, position] of this.#causes(steps[at]!, cells[at]!)) {
            if (needed[other]! <= position) needed[other] = position + 1;
            isChanging = true;
          }
        }
      }
    }
    return needed;
  }

  #causes({ kind, object, need }: Step, cell: number): readonly Place[] {
    switch (kind) {
      case 'begin':
        return found(this.#forks.get(object));
      case 'join':
        return found(this.#ends.get(object));
      case 'load':
      case 'update':
        return found(this.#stores.get(`${object} ${need}`));
      case 'arrive':
      case 'leave':
        // Some may have arrived before the window.
        return (this.#arrivals.get(object) ?? []).slice(
          0,
          Math.max(0, need - this.#machine.start[cell]!),
        );
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

function found(place: Place | undefined): readonly Place[] {
  return place === undefined ? [] : [place];
}
