/**
 * The lives of threads while a trace is read: forked once and before they run, not after they ran; no
 * event after the end or after a join, but for an end that was noted late.
 *
 *   T1|fork(T2)|1   T2|end(T2)|2   T2|w(x)|3   →   T2 has ended in line 2
 *
 * A thread may lack its fork (it ran before the trace began), its begin and its end, may be joined
 * more than once, and may be joined without ever having been seen.
 */
import type { TraceTables } from '../model/tables.ts';

const State = { unseen: 0, forked: 1, running: 2, joined: 3, ended: 4 } as const;

export class ThreadRules {
  readonly #tables: TraceTables;
  readonly #states: number[] = [];
  /** Where it came into its state. */
  readonly #lines: number[] = [];
  readonly #forkLines: number[] = [];

  constructor(tables: TraceTables) {
    this.#tables = tables;
  }

  /** Any event of the thread but begin and end: what is wrong with it, if anything. */
  event(thread: number, line: number): string | undefined {
    const state = this.#states[thread] ?? State.unseen;
    if (state === State.running) return undefined;
    if (state > State.running) return this.#isOver(thread);
    this.#enter(thread, State.running, line);
    return undefined;
  }

  begin(thread: number, line: number): string | undefined {
    if (this.#states[thread] !== State.running) return this.event(thread, line);
    return `${this.#nameOf(thread)} begins, but has run since line ${this.#lines[thread]}`;
  }

  end(thread: number, line: number): string | undefined {
    if (this.#states[thread] === State.ended) return this.#isOver(thread);
    this.#enter(thread, State.ended, line);
    return undefined;
  }

  fork(child: number, parent: number, line: number): string | undefined {
    if (child === parent) return `${this.#nameOf(child)} forks itself`;
    const state = this.#states[child] ?? State.unseen;
    const forkLine = this.#forkLines[child];
    if (forkLine !== undefined) return `${this.#nameOf(child)} was forked in line ${forkLine}`;
    if (state === State.running) {
      return `${this.#nameOf(child)} is forked, but has run since line ${this.#lines[child]}`;
    }
    if (state > State.running) return this.#isOver(child);
    this.#forkLines[child] = line;
    this.#enter(child, State.forked, line);
    return undefined;
  }

  join(child: number, parent: number, line: number): string | undefined {
    if (child === parent) return `${this.#nameOf(child)} joins itself`;
    const state = this.#states[child] ?? State.unseen;
    if (state < State.joined) this.#enter(child, State.joined, line);
    return undefined;
  }

  #enter(thread: number, state: number, line: number): void {
    this.#states[thread] = state;
    this.#lines[thread] = line;
  }

  #isOver(thread: number): string {
    const how = this.#states[thread] === State.ended ? 'has ended' : 'was joined';
    return `${this.#nameOf(thread)} ${how} in line ${this.#lines[thread]}`;
  }

  #nameOf(thread: number): string {
    return this.#tables.threads.row(thread).name;
  }
}
