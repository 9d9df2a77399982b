/**
 * Events by number. Whatever a process does is one of them, or one of two steps that others cannot take
 * part in: tau, which nobody sees, and tick, by which it ends well.
 */
export type Event = number;

export const TAU: Event = 0;
export const TICK: Event = 1;

export class EventNames {
  readonly #names = ['tau', 'tick'];
  readonly #numbers = new Map<string, Event>();

  /** `lock.T1.m` → its number. */
  numberOf(name: string): Event {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#names.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }

  nameOf(event: Event): string {
    return this.#names[event]!;
  }
}
