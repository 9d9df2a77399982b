/**
 * The numbers by which a task is known. Inside a pid namespace it has others than outside:
 *
 *   NSpid:  4711  12  1      for us, for the namespace below, and for its own, innermost one
 *
 * A wait inside returns 12 or 1, depending on where its caller stands; we count in 4711s.
 */
import { type Pid, pid, type Tid } from '../../linux/ids.ts';
import { readProcFile } from '../../linux/proc-file.ts';

export interface TaskNumbers {
  process: Pid;
  parent: Pid;
  isThread: boolean;
  /** From our namespace inwards; the last is its own view of itself. */
  inNamespaces: readonly number[];
  /** What its process calls itself. */
  ownPid: Pid;
}

/** For a start record: only if it is another number than ours. */
export const ownPidOf = ({ process, ownPid }: TaskNumbers): Pid | undefined =>
  ownPid === process ? undefined : ownPid;

/** undefined if the task has died already. */
export function numbersOf(task: Tid): TaskNumbers | undefined {
  const status = readProcFile(`/proc/${task}/status`)?.toString('latin1');
  if (status === undefined) return undefined;
  const process = pid(numbers(status, '\nTgid:\t')[0] ?? 0);
  return {
    process,
    parent: pid(numbers(status, '\nPPid:\t')[0] ?? 0),
    isThread: (process as number) !== task,
    inNamespaces: numbers(status, '\nNSpid:\t'),
    ownPid: pid(numbers(status, '\nNStgid:\t').at(-1) ?? process),
  };
}

function numbers(status: string, field: string): number[] {
  const at = status.indexOf(field);
  if (at < 0) return [];
  return status
    .slice(at + field.length, status.indexOf('\n', at + 1))
    .split('\t')
    .map(Number);
}

/** Remembers the numbers of those who live in a pid namespace below ours. */
export class NamespacedPids {
  readonly #depth = new Map<Tid, number>();
  readonly #byView = new Map<string, Pid>();

  learn(task: Tid, { process, inNamespaces }: Pick<TaskNumbers, 'process' | 'inNamespaces'>): void {
    if (inNamespaces.length < 2) return;
    this.#depth.set(task, inNamespaces.length - 1);
    for (const [depth, number] of inNamespaces.entries()) {
      this.#byView.set(`${depth}:${number}`, process);
    }
  }

  /** Whom `viewer` means by `number`. */
  ours(viewer: Tid, number: number): Pid {
    const depth = this.#depth.get(viewer) ?? 0;
    return depth === 0 || number === 0
      ? pid(number)
      : (this.#byView.get(`${depth}:${number}`) ?? pid(number));
  }
}
