/**
 * Tells how many races have a verdict. Doubtful ones come after those that there are for certain, and are counted for
 * themselves: nobody is told in the end that so many of them were not tried.
 *
 *   3/5 races tried
 *   0/2 doubtful races tried      once the five are
 */
import { tellProgress } from '../../base/progress.ts';
import type { Race } from '../../report/model.ts';

/** See known-races.ts. */
export const isDoubtful = ({ id }: Pick<Race, 'id'>): boolean => id.startsWith('D');

export class TriedRaces {
  readonly #certain = { done: 0, total: 0 };
  readonly #doubtful = { done: 0, total: 0 };

  /** `wanted`: those that are to be tried. */
  constructor(wanted: readonly Pick<Race, 'id'>[]) {
    for (const race of wanted) this.#kindOf(race).total++;
  }

  add(race: Pick<Race, 'id'>): void {
    this.#kindOf(race).done++;
    this.tell();
  }

  tell(): void {
    const { done, total } = this.#certain;
    const isPast = done === total && this.#doubtful.total > 0;
    if (!isPast) tellProgress('races tried', done, total);
    else tellProgress('doubtful races tried', this.#doubtful.done, this.#doubtful.total);
  }

  #kindOf(race: Pick<Race, 'id'>): { done: number; total: number } {
    return isDoubtful(race) ? this.#doubtful : this.#certain;
  }
}
