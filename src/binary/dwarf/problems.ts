/**
 * What could not be read. Debug information is a help, not a condition: what is damaged or of a kind that
 * is not supported is left out and told, and the rest is used.
 */
import { BadBinary } from '../byte-reader.ts';

/** The more there are, the less anybody reads them. */
const MOST_TOLD = 20;

export class Problems {
  readonly #texts = new Set<string>();

  get list(): readonly string[] {
    return [...this.#texts];
  }

  add(text: string): void {
    if (this.#texts.size < MOST_TOLD) this.#texts.add(text);
  }

  /** What `read` gives; undefined, with a note, if it comes upon damage. Our own bugs go through. */
  guard<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof BadBinary)) throw thrown;
      this.add(thrown.message);
      return undefined;
    }
  }
}
