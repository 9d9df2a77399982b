/**
 * Rests that end at once when a child of ours does, so that nobody has to look every few milliseconds
 * whether it has.
 *
 *   const watch = new ChildWatch();
 *   while (!isOver()) await watch.rest(20);
 *   watch.close();
 *
 * A stop of a child ends a rest as well: whoever rests must look what has happened.
 */
export class ChildWatch {
  #endRest = (): void => {};
  readonly #wake = (): void => this.#endRest();

  constructor() {
    process.on('SIGCHLD', this.#wake);
  }

  /** Ends the present rest, if there is one. */
  wake(): void {
    this.#endRest();
  }

  rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    process.off('SIGCHLD', this.#wake);
  }
}
