/**
 * Gives each process the number that it had when it was recorded, since programs put their numbers
 * into names and messages. In the recorded order they come by themselves; where a branch leaves
 * processes out, those after them would be too low.
 */
import type { Pid } from '../../linux/ids.ts';
import type { ProcessNumbering } from '../../linux/sandbox/process-numbering.ts';
import type { Script, ScriptedTask } from './script.ts';

export class RecordedNumbers {
  readonly #numbering: ProcessNumbering;
  readonly #given = new Map<ScriptedTask, number>();
  /** The one that the kernel gave last. */
  #last: number;

  constructor(numbering: ProcessNumbering, root: ScriptedTask) {
    this.#numbering = numbering;
    this.#last = ownNumber(root);
  }

  /** This one is about to be started. */
  expect(task: ScriptedTask): void {
    // Of threads only the process's number is known, but they take one too.
    const number = task.start.how === 'thread' ? this.#last + 1 : ownNumber(task);
    if (number !== this.#last + 1) this.#numbering.setNext(number);
    this.#last = number;
  }

  /** It has got this one: another, if its own was taken. */
  given(task: ScriptedTask, number: number): void {
    this.#given.set(task, number);
    if (task.start.how !== 'thread') this.#last = number;
  }

  /** The one that it has. */
  numberOf(task: ScriptedTask): number | undefined {
    return this.#given.get(task);
  }
}

export const ownNumber = ({ start: { ownPid, pid } }: ScriptedTask): number => ownPid ?? pid;

/** What the program itself calls a process, now that it runs again. */
export function numberOfProcess(
  process: Pid | undefined,
  { tasks }: Script,
  numbers: RecordedNumbers | undefined,
): number | undefined {
  if (process === undefined) return undefined;
  const task = tasks.findLast(({ start }) => start.pid === process);
  return task && (numbers?.numberOf(task) ?? ownNumber(task));
}
