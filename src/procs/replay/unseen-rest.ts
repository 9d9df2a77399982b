/**
 * From where on a task need not be seen any more, since none of what is left of it needs a place in
 * the order. A compiler has a thousand calls behind its last one that does:
 *
 *   cc1   execve getrandom ioctl | openat read readlink readlink … exit
 *                                 ^ from here on it runs without stops, up to its end
 *
 * It still is told when such a task starts another, runs another program or gets a signal, which it
 * did not when it was recorded. Not for tasks that may be alive when everybody is let go: what they do
 * then is recorded.
 */
import type { Pid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { isRefused } from '../model/recorded-calls.ts';
import type { Course } from './course.ts';
import type { Player } from './player.ts';
import type { Item, ScriptedTask } from './script.ts';

const SECCOMP = syscallNumber('seccomp');
const PRCTL = syscallNumber('prctl');
/** Source: <linux/prctl.h>. */
const PR_SET_SECCOMP = 22;

/** Whether a program goes by filters of its own, or by ours: without any it would run otherwise. */
export const dependsOnFilters = ({ number, args }: CallRecord): boolean =>
  number === SECCOMP || (number === PRCTL && args[0] === PR_SET_SECCOMP) || isRefused(number);

export class UnseenRests {
  readonly #course: Course;
  readonly #threaded: ReadonlySet<Pid>;
  readonly #from = new Map<ScriptedTask, number>();

  /** `threaded`: the processes that have several tasks; one may end all. */
  constructor(course: Course, threaded: ReadonlySet<Pid>) {
    this.#course = course;
    this.#threaded = threaded;
  }

  /** Whether all that is left of it needs no place in the order, but for its end. */
  hasBegun({ script, done }: Player): boolean {
    const from = this.#from.get(script) ?? this.#find(script);
    this.#from.set(script, from);
    return done >= from;
  }

  #find(task: ScriptedTask): number {
    const { script, inside } = this.#course;
    const { items, start } = task;
    const isWhole = !inside || (inside.get(task) ?? 0) >= items.length;
    const isSeen = script.dependsOnFilters || this.#threaded.has(start.pid) || !isWhole;
    if (isSeen || !endsByItself(items.at(-1))) return Number.POSITIVE_INFINITY;
    return items.findLastIndex(needsPlace) + 1;
  }
}

const needsPlace = ({ record, isSignificant }: Item): boolean =>
  record.kind !== 'exit' && isSignificant;

/** Of one that was killed, the call that it was killed in is not known, and it may wait there. */
const endsByItself = (last: Item | undefined): boolean =>
  last?.record.kind === 'exit' && parseWaitStatus(last.record.status).kind === 'exited';
