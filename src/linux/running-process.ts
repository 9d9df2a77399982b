/** Processes that run already, as /proc shows them; any of them may vanish at any moment. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { decodeBytes } from '../base/bytes.ts';
import { type Pid, pid, type Tid, tid } from './ids.ts';

export interface RunningTask {
  readonly task: Tid;
  readonly process: Pid;
  /** Who it hangs on: the process's first thread for a thread, else the parent process. */
  readonly parent: Tid;
}

export interface ProcessStat {
  readonly state: string;
  readonly parent: Pid;
  /** Its process group. */
  readonly group: number;
  /** The group to which keys typed at its terminal send signals; -1 without a terminal. */
  readonly foregroundGroup: number;
  readonly flags: number;
}

/** Source: <linux/sched.h>. */
const PF_KTHREAD = 0x20_0000;

/** Field 3 and on of proc(5), stat; the program's name before them may hold anything. */
export function processStat(process: number | 'self'): ProcessStat | undefined {
  const text = attempt(() => readFileSync(`/proc/${process}/stat`, 'latin1'));
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, , , foregroundGroup, flags] = fields;
  return {
    state,
    parent: pid(Number(parent)),
    group: Number(group),
    foregroundGroup: Number(foregroundGroup),
    flags: Number(flags),
  };
}

export const isKernelThread = (process: number): boolean =>
  ((processStat(process)?.flags ?? 0) & PF_KTHREAD) !== 0;

/** A number of /proc/PID/status, such as `TracerPid`, or the first of its line: `Uid`. undefined if it is gone. */
export function statusField(process: number, name: string): number | undefined {
  const text = attempt(() => readFileSync(`/proc/${process}/status`, 'latin1'));
  const found = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Whether it can still do anything. */
export function isRunning(task: Tid): boolean {
  const state = processStat(task)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** The process, its threads and all its descendants, parents first. */
export function runningTree(root: Pid): RunningTask[] {
  const children = new Map<Pid, Pid[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? processStat(Number(name))?.parent : undefined;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid(Number(name)));
    else children.set(parent, [pid(Number(name))]);
  }
  const tasks: RunningTask[] = [];
  const add = (process: Pid, parent: Tid): void => {
    for (const task of threadsOf(process)) {
      const isFirst = (task as number) === process;
      tasks.push({ task, process, parent: isFirst ? parent : tid(process) });
    }
    for (const child of children.get(process) ?? []) add(child, tid(process));
  };
  add(root, tid(0));
  return tasks;
}

/** Of a process with one thread; nobody if the kernel does not tell. */
export function childrenOf(process: Pid): Pid[] {
  const text = attempt(() => readFileSync(`/proc/${process}/task/${process}/children`, 'latin1'));
  return (text ?? '').split(' ').flatMap((word) => (word === '' ? [] : pid(Number(word))));
}

/** The first one first. */
export function threadsOf(process: Pid): Tid[] {
  const names = attempt(() => readdirSync(`/proc/${process}/task`)) ?? [];
  return names
    .map((name) => tid(Number(name)))
    .sort((a, b) => (a === (process as number) ? -1 : b === (process as number) ? 1 : a - b));
}

export interface RunningProgram {
  path: string;
  /** Arguments, joined by NUL. */
  commandLine: string;
  folder: string;
}

export function runningProgram(process: Pid): RunningProgram {
  const link = (name: string): string =>
    decodeBytes(
      attempt(() => readlinkSync(`/proc/${process}/${name}`, { encoding: 'buffer' })) ??
        Buffer.alloc(0),
    );
  const commandLine = attempt(() => readFileSync(`/proc/${process}/cmdline`)) ?? Buffer.alloc(0);
  return {
    path: link('exe').replace(/ \(deleted\)$/, ''),
    commandLine: decodeBytes(commandLine).replace(/\0$/, ''),
    folder: link('cwd'),
  };
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
