/**
 * For how long races are tried: until the user ends it, or the budget is spent. Either way whatever is
 * running is ended then and there, and what that would have shown counts for nothing.
 *
 *   const time = new TimeAllowed(stop, 60_000);
 *   time.over.addEventListener('abort', () => pool.interrupt());
 */
export class TimeAllowed {
  readonly #controller = new AbortController();
  readonly #stop: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #end = (): void => this.#controller.abort();

  /** Without a budget, only the user's patience counts. */
  constructor(stop: AbortSignal, budgetMs: number | undefined) {
    this.#stop = stop;
    if (stop.aborted) this.#end();
    stop.addEventListener('abort', this.#end);
    if (budgetMs !== undefined) this.#timer = setTimeout(this.#end, budgetMs);
  }

  /** Fires when there is no more of it. */
  get over(): AbortSignal {
    return this.#controller.signal;
  }

  get isInterrupted(): boolean {
    return this.#stop.aborted;
  }

  /** Nobody asks any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stop.removeEventListener('abort', this.#end);
  }
}
