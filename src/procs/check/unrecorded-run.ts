/**
 * Runs a shell command in a sandbox without watching what it does, until it ends or its time is up.
 * What it leaves running is ended with it.
 */
import { closeSync, openSync } from 'node:fs';
import type { Resting } from '../../base/resting.ts';
import { type Inheritance, ownInheritance } from '../../linux/own-inheritance.ts';
import { detach } from '../../linux/ptrace.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import { startProgram } from '../../linux/start-traced.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { RunOutcome } from './outcome.ts';

export interface ShellCommand {
  readonly command: string;
  readonly environment: readonly string[];
  readonly plan: SandboxPlan;
  /** A descriptor for all that it says. */
  readonly output: number;
  readonly seconds: number;
  /** Ends it sooner. */
  readonly over?: AbortSignal | undefined;
}

const PAUSE_MS = 5;

/** How it ended; undefined if it did not in time. */
export function* runShell(shell: ShellCommand): Resting<RunOutcome['exit'] | undefined> {
  const { command, environment, plan, output, seconds, over } = shell;
  const deadline = performance.now() + seconds * 1000;
  const stdin = openSync('/dev/null', 'r');
  let memory: number | undefined;
  try {
    const program = {
      path: '/bin/sh',
      args: ['sh', '-c', command],
      environment,
      inheritance: { ...ownInheritance(), ...standardFiles(stdin, output) },
      sandbox: {
        plan,
        built: ({ memoryFd }: { memoryFd?: number }) => {
          memory = memoryFd;
        },
      },
    };
    const started = startProgram(program, () => {});
    try {
      ignoringTheDead(() => detach(started.task));
      for (;;) {
        const status = started.status();
        if (status !== undefined) return exitOf(status);
        if (performance.now() > deadline || over?.aborted) return undefined;
        yield PAUSE_MS;
      }
    } finally {
      started.kill();
    }
  } finally {
    closeSync(stdin);
    if (memory !== undefined) closeSync(memory);
  }
}

const standardFiles = (stdin: number, output: number): Pick<Inheritance, 'files' | 'sources'> => ({
  files: [0, 1, 2],
  sources: new Map([
    [0, stdin],
    [1, output],
    [2, output],
  ]),
});

function exitOf(status: number): RunOutcome['exit'] {
  const ended = parseWaitStatus(status);
  return ended.kind === 'killed' ? { signal: ended.signal } : { code: status >> 8 };
}
