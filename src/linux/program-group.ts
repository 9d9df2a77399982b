/**
 * Whom Ctrl-C at a terminal would reach of a program that we have started: those of its processes
 * that are still in the process group in which it began, which is ours.
 *
 *   deadheat record -- sh -c 'sleep 60 & setsid sleep 60 & wait'
 *                      reaches sh and the first sleep
 *
 * Others are in our group too, such as whoever is at the other end of a pipe; they are not meant.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { tryTo } from '../base/result.ts';
import { type Pid, pid, type Tid } from './ids.ts';
import { processStat, runningTree } from './running-process.ts';

/** `task`: one of the program's, in a sandbox any of them, otherwise the first one. */
export function inProgramGroup(task: Tid): Pid[] {
  const group = processStat('self')?.group;
  const namespace = pidNamespace(task);
  const isSandboxed = namespace !== undefined && namespace !== pidNamespace('self');
  const processes = isSandboxed ? inPidNamespace(namespace) : descendants(task);
  return processes.filter((process) => processStat(process)?.group === group);
}

function inPidNamespace(namespace: string): Pid[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.map((name) => pid(Number(name))).filter((one) => pidNamespace(one) === namespace);
}

const descendants = (task: Tid): Pid[] => [
  ...new Set(runningTree(pid(task)).map(({ process }) => process)),
];

function pidNamespace(process: number | 'self'): string | undefined {
  const link = tryTo(() => readlinkSync(`/proc/${process}/ns/pid`));
  return link.ok ? link.value : undefined;
}
