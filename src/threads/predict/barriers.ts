/**
 * Barriers: who leaves knows of all who arrived in the same round.
 *
 *   A arrives  B arrives  A leaves  A arrives  B leaves …
 *   └──── round 1 ────┘             └ round 2
 *
 * A round is over when the first of it leaves: nobody leaves before all have arrived. Who arrives in one
 * round knows that those before it are complete, so that in any order that keeps what is known, nobody
 * can take the place of another.
 */
import type { ThreadClocks } from './clocks.ts';
import { Told } from './told.ts';

export class Barrier {
  readonly #ever = new Told();
  readonly #earlierRounds = new Told();
  #round = new Told();
  readonly #roundOf = new Map<number, Told>();

  arrive(clocks: ThreadClocks, thread: number): void {
    this.#earlierRounds.hear(clocks, thread);
    const moment = clocks.momentOf(thread);
    this.#ever.tell(moment);
    this.#round.tell(moment);
    this.#roundOf.set(thread, this.#round);
  }

  leave(clocks: ThreadClocks, thread: number): void {
    const round = this.#roundOf.get(thread);
    this.#roundOf.delete(thread);
    (round ?? this.#ever).hear(clocks, thread);
    if (round !== this.#round) return;
    this.#round = new Told();
    this.#earlierRounds.tell(clocks.momentOf(thread));
  }
}
