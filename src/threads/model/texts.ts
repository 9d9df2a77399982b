/**
 * The texts of a trace: names, paths, symbols. Tables hold their numbers; 0 stands for none. Each text is
 * kept once when it is added by its text; a name that is known to be new, such as one of a million
 * variables of an imported trace, is kept without looking for it.
 */
import { assert } from '../../base/assert.ts';

export class Texts {
  readonly #texts: string[] = [''];
  readonly #numbers = new Map<string, number>([['', 0]]);

  /** How many there are, with the empty one. */
  get count(): number {
    return this.#texts.length;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.addNew(text);
    this.#numbers.set(text, number);
    return number;
  }

  addNew(text: string): number {
    return this.#texts.push(text) - 1;
  }

  at(number: number): string {
    assert(number < this.#texts.length, 'a text that its trace does not have');
    return this.#texts[number]!;
  }
}
