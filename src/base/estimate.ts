/**
 * When long work will be done, if it goes on as it has so far. Between two counts the estimate runs down with the
 * clock: of four things that take ten seconds each, twenty-six seconds are left four after the first one.
 */
export class Estimate {
  readonly #began = performance.now();
  readonly #first: number;
  #endsAt: number | undefined;

  /** `first`: how much was done already when it began. */
  constructor(first: number) {
    this.#first = first;
  }

  update(done: number, total: number): void {
    const now = performance.now();
    if (done <= this.#first) return;
    const each = (now - this.#began) / (done - this.#first);
    this.#endsAt = now + each * Math.max(0, total - done);
  }

  /** undefined before anything is done. What takes longer than it did before is about to end, for all we know. */
  secondsLeft(): number | undefined {
    if (this.#endsAt === undefined) return undefined;
    return Math.max(1, Math.ceil((this.#endsAt - performance.now()) / 1000));
  }
}
