/**
 * Processes that are paused and go on together, such as a program with whatever watches it, or a server with its load.
 *
 * Root has them frozen in a control group, which none of them notices. SIGSTOP is for plain users: a program that is
 * traced would tell its tracer of that, which is stopped as well, and some of its threads would run on meanwhile.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface PausedGroup {
  /** To be put before a command that is to be in it; it is started as the leader of a process group. */
  readonly enter: readonly string[];
  /** It is started. */
  add(leader: number): void;
  pause(): void;
  resume(): void;
  kill(): void;
  /** Once nobody is left in it. */
  remove(): Promise<void>;
}

const LONGEST_MS = 2000;
let groups = 0;

/** `isTraced`: some of them trace others. */
export function pausedGroup(isTraced: boolean): PausedGroup {
  const folder = newControlGroup();
  if (folder !== undefined) return frozenGroup(folder);
  if (isTraced)
    throw new Error('what is traced can be paused in a control group (v2) only, as root');
  return stoppedGroup();
}

function newControlGroup(): string | undefined {
  const mounts = readFileSync('/proc/mounts', 'latin1');
  const mounted = /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1];
  if (mounted === undefined) return undefined;
  const folder = join(mounted, `deadheat-bench-${process.pid}-${groups++}`);
  try {
    mkdirSync(folder);
    return folder;
  } catch {
    return undefined;
  }
}

function frozenGroup(folder: string): PausedGroup {
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const isSo = (what: string): boolean =>
    readFileSync(join(folder, 'cgroup.events'), 'latin1').includes(what);
  return {
    enter: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')}; exec "$@"`, 'sh'],
    add: () => {},
    pause: () => {
      write('cgroup.freeze', '1');
      const deadline = performance.now() + LONGEST_MS;
      while (isSo('frozen 0') && performance.now() < deadline);
    },
    resume: () => write('cgroup.freeze', '0'),
    kill: () => write('cgroup.kill', '1'),
    remove: async () => {
      const deadline = performance.now() + LONGEST_MS;
      while (existsSync(folder) && isSo('populated 1') && performance.now() < deadline)
        await sleep(10);
      rmdirSync(folder);
    },
  };
}

function stoppedGroup(): PausedGroup {
  const leaders: number[] = [];
  const signal = (name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void => {
    for (const leader of leaders) {
      try {
        process.kill(-leader, name);
      } catch {
        // It has ended.
      }
    }
  };
  return {
    enter: [],
    add: (leader) => void leaders.push(leader),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill: () => signal('SIGKILL'),
    remove: async () => {},
  };
}
