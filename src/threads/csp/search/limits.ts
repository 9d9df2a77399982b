/** When a search gives up: after so many states, or when whoever asked for it says so. */
export interface Limits {
  readonly mostStates: number;
  readonly isOver?: (() => boolean) | undefined;
}

/** How often a search asks itself between two looks at the clock. */
const LOOKS_BETWEEN = 64;

export class Patience {
  readonly #limits: Limits;
  #looks = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  isSpent(states: number): boolean {
    const { mostStates, isOver } = this.#limits;
    if (states > mostStates) return true;
    return ++this.#looks % LOOKS_BETWEEN === 0 && (isOver?.() ?? false);
  }
}
