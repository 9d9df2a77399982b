/**
 * Which program a task was running at a given moment, and who created it. A task changes its
 * program by exec; a number is used again after its first owner is gone. So both are asked with a
 * sequence number: `programAt(task 14, sequence 900)` may be `sh`, and at 950 `cc1`.
 */
import { basename } from 'node:path';
import type { Pid, Tid } from '../../linux/ids.ts';
import type { ExecRecord } from '../../trace/records/exec.ts';
import type { StartRecord } from '../../trace/records/start.ts';

export interface Program {
  /** `cc1` */
  name: string;
  /** Absolute. */
  path: string;
  command: string[];
}

export interface Life {
  tid: Tid;
  pid: Pid;
  /** What the process calls itself: not our number in a pid namespace. */
  ownPid: Pid;
  how: StartRecord['how'];
  from: number;
  parent: Tid | undefined;
  programs: { from: number; program: Program }[];
}

const UNKNOWN: Program = { name: '?', path: '', command: [] };

export class TaskHistory {
  readonly #lives = new Map<Tid, Life[]>();

  started(record: StartRecord): void {
    const { tid, pid, ownPid = pid, how, sequence: from } = record;
    const parent = record.parentTid || undefined;
    const inherited = parent === undefined ? UNKNOWN : this.programAt(parent, from);
    const life = { tid, pid, ownPid, how, from, parent, programs: [{ from, program: inherited }] };
    const lives = this.#lives.get(tid);
    if (lives) lives.push(life);
    else this.#lives.set(tid, [life]);
  }

  execed({ tid, sequence: from, path, commandLine }: ExecRecord): void {
    const command = commandLine.split('\0');
    // What the user called it: `sh`, although the file behind it may be `dash`.
    const program = { name: basename(command[0] || path), path, command };
    this.lifeAt(tid, from)?.programs.push({ from, program });
  }

  programAt(task: Tid, sequence: number): Program {
    const programs = this.lifeAt(task, sequence)?.programs ?? [];
    return programs.findLast(({ from }) => from <= sequence)?.program ?? UNKNOWN;
  }

  /** The number by which the program itself knows a process. */
  ownNumber(process: Pid, sequence: number): number {
    return this.lifeAt(process as number as Tid, sequence)?.ownPid ?? process;
  }

  /** The life of the task that was going on then. */
  lifeAt(task: Tid, sequence: number): Life | undefined {
    return this.#lives.get(task)?.findLast(({ from }) => from <= sequence);
  }

  get count(): number {
    return [...this.#lives.values()].reduce((sum, lives) => sum + lives.length, 0);
  }
}
