/**
 * The schedule that a run follows, as the stand-off sees it: which thread of the kernel has which number, who
 * has made all its steps, and whose turn it is.
 */
import { LogOp } from '../../linux/agent-protocol.ts';
import type { AgentScheduleFile, ThreadProgress } from '../../linux/agent-schedule.ts';
import type { Tid } from '../../linux/ids.ts';
import type { Schedule } from './schedule.ts';

export class Gate {
  readonly file: AgentScheduleFile;
  readonly #schedule: Schedule;
  readonly #numbers = new Map<Tid, number>();
  /** By thread: the turns of its atomic steps, in order. */
  readonly #atomics = new Map<number, number[]>();
  #isOpen = false;

  constructor(file: AgentScheduleFile, schedule: Schedule) {
    this.file = file;
    this.#schedule = schedule;
    for (const [turn, { op, thread }] of schedule.steps.entries()) {
      if (op !== LogOp.DH_OP_ATOMIC) continue;
      const turns = this.#atomics.get(thread);
      if (turns) turns.push(turn);
      else this.#atomics.set(thread, [turn]);
    }
  }

  /** The agent's number of a thread; undefined until it has begun there. */
  numberOf(task: Tid): number | undefined {
    if (!this.#numbers.has(task)) {
      for (const { tid, thread } of this.file.threads()) if (tid) this.#numbers.set(tid, thread);
    }
    return this.#numbers.get(task);
  }

  /** Whether it has made every step that it has in the schedule. */
  isThrough(thread: number): boolean {
    const last = this.#atomics.get(thread)?.at(-1) ?? -1;
    return this.file.thread(thread)?.next === undefined && this.file.turn > last;
  }

  /** The turn of the atomic access that has to be the next that a thread does; undefined if there is none. */
  nextAtomic(thread: number): number | undefined {
    const { turn } = this.file;
    const next = this.#atomics.get(thread)?.find((one) => one >= turn);
    const other = this.file.thread(thread)?.next;
    return next !== undefined && (other === undefined || next < other) ? next : undefined;
  }

  /** Those who do not race and have no steps left, but are held for that. */
  idlers(): ThreadProgress[] {
    const { racing } = this.#schedule;
    return this.file
      .threads()
      .filter(
        ({ thread, standing, isFree }) =>
          standing === 'held' && !isFree && !racing.includes(thread),
      );
  }

  /** Who waits at it, and so says nothing about whether the program moves. */
  waiting(): ThreadProgress[] {
    return this.file
      .threads()
      .filter(({ standing }) => standing === 'waiting' || standing === 'held');
  }

  /** `LogOp` of a step. */
  opAt(turn: number): number | undefined {
    return this.#schedule.steps[turn]?.op;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.file.open();
  }
}
