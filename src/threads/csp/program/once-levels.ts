/**
 * How often the initialisation of each thing that is done once has been gone through: more than once if
 * it was given up. Whoever passes needs that of its level.
 *
 *   once-begin, once-end (given up), once-begin, once-end, once-pass      it passes at level 2
 */
export class OnceLevels {
  readonly #levels = new Map<number, number>();
  readonly #runners = new Map<number, number>();

  /** Returns the thread that had begun and did not end, which must have given up. */
  begin(object: number, thread: number): number | undefined {
    const other = this.#runners.get(object);
    if (other !== undefined) this.end(object, other);
    this.#runners.set(object, thread);
    return other;
  }

  /** Whether it had begun. */
  end(object: number, thread: number): boolean {
    if (this.#runners.get(object) !== thread) return false;
    this.#runners.delete(object);
    this.#levels.set(object, (this.#levels.get(object) ?? 0) + 1);
    return true;
  }

  /** Undefined while somebody is at it: nobody passes then. */
  level(object: number): number | undefined {
    return this.#runners.has(object) ? undefined : (this.#levels.get(object) ?? 0);
  }
}
