/** What the groups that are logged on the way into a loop, and out of it, tell: see hoisted-loops.ts. */

/** How a value moves: by a constant, and by another value; -1: none. */
export interface ValueStep {
  readonly constant: number;
  readonly value: number;
}

/** What the group of the way in knows beside its accesses. */
export interface LoopEntry {
  readonly kind: 'entry';
  /** Of each value. */
  readonly steps: readonly ValueStep[];
  /** Which value counts, and by how much. */
  readonly counter: number;
  readonly counterStep: number;
  /** Which one is the stack pointer. */
  readonly stack: number;
  /** How many of the accesses come before anybody could leave. */
  readonly certain: number;
}

/** What the group of a way out knows. Its values are the counter and the stack pointer. */
export interface LoopExit {
  readonly kind: 'exit';
  /** How many groups before it that of the way in is. */
  readonly distance: number;
  /** How many of the loop's accesses the last iteration has made. */
  readonly done: number;
  /** How far the counter has moved in the last iteration. */
  readonly counted: number;
}
