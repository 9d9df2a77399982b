/**
 * The contexts in which a variable was accessed: who, where, how, and with which locks. What is true of the
 * newest access of a context as to what comes later was true of those before it, so that it stands for all
 * of them. A context remembers with which others it has been paired.
 *
 * A variable has at most 32 of them; a new one takes the place of the oldest. So each access is compared
 * with 31 others at most.
 */
export const MOST_CONTEXTS = 32;

export interface Context {
  readonly thread: number;
  readonly accessClass: number;
  readonly site: number;
  readonly lockset: number;
  /** Of its newest access. */
  index: number;
  event: number;
  op: number;
  /** A bit for each context that it has been paired with. */
  paired: number;
}

export class Contexts {
  readonly all: Context[] = [];
  #oldest = 0;

  /** Whether some had to make room. */
  isCrowded = false;

  find(thread: number, accessClass: number, site: number, lockset: number): Context | undefined {
    for (const one of this.all) {
      if (
        one.site === site &&
        one.thread === thread &&
        one.accessClass === accessClass &&
        one.lockset === lockset
      ) {
        return one;
      }
    }
    return undefined;
  }

  add(context: Context): void {
    if (this.all.length < MOST_CONTEXTS) {
      this.all.push(context);
      return;
    }
    this.isCrowded = true;
    for (const one of this.all) one.paired &= ~(1 << this.#oldest);
    this.all[this.#oldest] = context;
    this.#oldest = (this.#oldest + 1) % MOST_CONTEXTS;
  }
}
