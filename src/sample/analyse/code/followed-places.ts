/**
 * The places from which samples are followed (follower.ts): those where that may tell more than the plan does, which
 * is known without any sample. Most are not: their next jump hangs on what is in memory.
 */
import type { Instruction } from '../../../binary/code/instruction.ts';
import { FollowedRegisters } from './followed-registers.ts';
import { FollowedFunction, type FollowedPlace, MOST_STEPS, NO_PLACE } from './follower.ts';
import type { StoredImage } from './image-store.ts';
import type { SampledFunction } from './sampled-function.ts';

export class FollowedPlaces {
  readonly #siteOf: (stored: StoredImage, instruction: Instruction, operand: number) => number;
  readonly #functions = new Map<SampledFunction, FollowedFunction>();

  constructor(siteOf: (stored: StoredImage, instruction: Instruction, operand: number) => number) {
    this.#siteOf = siteOf;
  }

  /** `planned`: the sites that the plan speaks of. undefined if no more can be told than that. */
  at(
    stored: StoredImage,
    address: number,
    planned: ReadonlySet<number>,
  ): FollowedPlace | undefined {
    const sampled = stored.image?.functionAt(address);
    if (sampled === undefined) return undefined;
    let followed = this.#functions.get(sampled);
    if (followed === undefined) {
      followed = new FollowedFunction(sampled, (...one) => this.#siteOf(stored, ...one));
      this.#functions.set(sampled, followed);
    }
    const place = followed.placeOf(address);
    return place !== NO_PLACE && mayTellMore(followed, place, planned)
      ? { followed, place }
      : undefined;
  }
}

/** With any numbers: whether one is known hardly hangs on which it is. */
function mayTellMore(
  followed: FollowedFunction,
  place: number,
  planned: ReadonlySet<number>,
): boolean {
  const registers = new FollowedRegisters();
  let at = place;
  for (let left = MOST_STEPS; at !== NO_PLACE && left > 0; left--) {
    for (const { site, address } of followed.touches(at)) {
      if (!planned.has(site) && !Number.isNaN(address(registers))) return true;
    }
    const next = followed.follow(at, registers);
    if (next !== NO_PLACE && followed.asks(at)) return true;
    at = next;
  }
  return false;
}
