/**
 * The numbers by which a task is known. Inside a pid namespace it has others than outside:
 *
 *   NSpid:  4711  12  1      for us, for the namespace below, and for its own, innermost one
 *
 * A wait inside returns 12 or 1, depending on where its caller stands; we count in 4711s.
 */
import { readFileSync } from 'node:fs';
import { type Pid, pid, type Tid } from '../../linux/ids.ts';

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
  let status: string;
  try {
    status = readFileSync(`/proc/${task}/status`, 'latin1');
  } catch {
    return undefined;
  }
  const field = (name: string): string[] =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/) ?? [];
  const process = pid(Number(field('Tgid')[0]));
  return {
    process,
    parent: pid(Number(field('PPid')[0])),
    isThread: (process as number) !== task,
    inNamespaces: field('NSpid').map(Number),
    ownPid: pid(Number(field('NStgid').at(-1) ?? process)),
  };
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
