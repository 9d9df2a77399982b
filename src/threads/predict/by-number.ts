/** What is kept of things that have numbers, and made when one is first asked for. */
export class ByNumber<State> {
  readonly #states: (State | undefined)[] = [];
  readonly #make: () => State;

  constructor(make: () => State) {
    this.#make = make;
  }

  at(number: number): State {
    const known = this.#states[number];
    if (known !== undefined) return known;
    // Without holes, which would make every later look at it slower.
    while (this.#states.length <= number) this.#states.push(undefined);
    const fresh = this.#make();
    this.#states[number] = fresh;
    return fresh;
  }

  /** Undefined if it was never asked for. */
  find(number: number): State | undefined {
    return this.#states[number];
  }

  *all(): Generator<State> {
    for (const state of this.#states) if (state !== undefined) yield state;
  }
}
