/**
 * Starts a shell that stops itself at once, so that it can be seized and then made to run any
 * program (start-traced.ts) before that program's first instruction.
 *
 *   sh -c 'trap "" 1; ulimit -Sn 256; kill -STOP $$; exec "$@"' sh PROGRAM ARG…
 *
 * The shell also puts back what Node has changed of what a child inherits (own-inheritance.ts).
 */
import { assert } from '../base/assert.ts';
import { type Pid, type Tid, tid } from './ids.ts';
import { type Inheritance, PLAIN_INHERITANCE } from './own-inheritance.ts';
import { type Command, type SpawnPlan, spawn } from './posix-spawn.ts';
import { IGNORED_BY_NODE, signalSet } from './signal-sets.ts';
import { parseWaitStatus, WaitOption, waitForChild } from './wait.ts';

const SHELL = '/bin/sh';

/** Returns when the shell stands still; woken by SIGCONT, it would run the command. */
export function spawnStopped(command: Command, inheritance = PLAIN_INHERITANCE): Pid {
  const { environment } = command;
  const args = [SHELL, '-c', starterScript(inheritance), 'sh', ...command.args];
  const child = spawn(SHELL, { args, environment }, planFor(inheritance));
  const change = waitForChild(child, WaitOption.untraced | WaitOption.all);
  const status = parseWaitStatus(change?.status ?? 0);
  assert(status.kind === 'stopped', `${SHELL} did not stop itself: ${JSON.stringify(status)}`);
  return child;
}

export const leaderOf = (process: Pid): Tid => tid(process);

function starterScript({ ignoredSignals, openFileLimit }: Inheritance): string {
  const steps = [
    ...ignoredSignals.map((signal) => `trap '' ${signal}`),
    ...(openFileLimit === undefined ? [] : [`ulimit -Sn ${openFileLimit}`]),
    'kill -STOP $$',
    'exec "$@"',
  ];
  return steps.join('; ');
}

/**
 * Node marks the descriptors it was given close-on-exec (duplicating one onto itself clears the
 * mark), and opens /dev/null where stdin, stdout or stderr was closed. Whoever is to become 21 but is
 * 20 here, where another is to be, is put out of the way first.
 *
 * Node ignores SIGPIPE and SIGXFSZ; without this, `yes | head -1` would never end.
 */
function planFor({ files, sources, blockedSignals }: Inheritance): SpawnPlan {
  const source = (fd: number): number => sources?.get(fd) ?? fd;
  const inTheWay = new Set(files.filter((fd) => source(fd) !== fd).map(source));
  const aside = new Map<number, number>();
  let free = Math.max(0, ...files, ...files.map(source)) + 1;
  for (const fd of inTheWay) if (files.includes(fd)) aside.set(fd, free++);
  const places = files.map((fd) => [aside.get(source(fd)) ?? source(fd), fd] as const);
  return {
    duplicates: [...aside, ...places],
    closed: [...aside.values(), ...[0, 1, 2].filter((fd) => !files.includes(fd))],
    defaultSignals: signalSet(IGNORED_BY_NODE),
    blockedSignals,
  };
}
