/**
 * Tasks share slots. A clock has one entry per slot, so the fewer slots, the smaller the clocks.
 * Tasks that run strictly one after another need only one between them:
 *
 *   for i in 1 2 3; do date; done          slot 0:  sh ──fork──wait──fork──wait──fork──wait
 *                                          slot 1:       date₁      date₂      date₃
 *
 * A new task may continue an ended task's slot if it knows all that happened there: the shell has
 * waited for date₁ before it forked date₂, so each event of date₁ happens before each of date₂.
 * Positions in a slot keep counting up, hence (slot, position) names one event, and of two events
 * in a slot the one at the lower position happens before the other, whichever tasks they are of.
 *
 * Limits: the first slot that fits is taken, which is not always the choice that needs fewest.
 * Searching it visits ended slots that the new task knows only in part: with n tasks that nobody
 * waits for, but that were heard of, n steps for each start.
 */
import type { Clocks } from './clock.ts';
import { type Clock, emptyClock } from './clock-nodes.ts';
import type { EventId, Slot } from './ids.ts';

export class Chains {
  readonly #clocks: Clocks;
  readonly #chains: EventId[][] = [];
  /** For each slot whose task has ended and which nobody has continued: how long it is. */
  #ended: Clock = emptyClock;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** How many slots there are. */
  get width(): number {
    return this.#chains.length;
  }

  /** A slot for a new task whose first event knows `clock`. */
  open(clock: Clock): Slot {
    const reused = this.#clocks.findReached(this.#ended, clock);
    if (reused === undefined) return (this.#chains.push([]) - 1) as Slot;
    this.#ended = this.#clocks.with(this.#ended, reused, 0);
    return reused;
  }

  close(slot: Slot): void {
    this.#ended = this.#clocks.with(this.#ended, slot, this.#chains[slot]!.length);
  }

  /** Returns the event's position in the slot. */
  append(slot: Slot, event: EventId): number {
    return this.#chains[slot]!.push(event) - 1;
  }

  eventAt(slot: Slot, position: number): EventId | undefined {
    return this.#chains[slot]?.[position];
  }
}
