/** Watches a program that is started for it, or a process that runs already, in a run directory of its own. */
import { tryTo } from '../base/result.ts';
import { type Pid, type Tid, tid } from '../linux/ids.ts';
import { type Interruptible, Interruption } from '../linux/interruption.ts';
import { ownFolder } from '../linux/own-process.ts';
import { prepareProgram } from '../linux/prepare-program.ts';
import { runningProgram, runningTree } from '../linux/running-process.ts';
import { Signal, sendSignal } from '../linux/signals.ts';
import type { Program } from '../linux/start-traced.ts';
import { attachTarget } from './ptrace/attach.ts';
import { launchTarget } from './ptrace/launch.ts';
import type { PtraceTarget } from './ptrace/ptrace-target.ts';
import {
  newRun,
  noteEnd,
  notingFailure,
  type WatchedRun,
  type WatchRunOptions,
} from './watch-run.ts';
import { type WatchTargetOptions, watchTarget } from './watch-target.ts';

export interface WatchProcessOptions extends WatchRunOptions {
  /** Libraries whose functions are sampled, too. */
  readonly also: readonly string[];
}

export interface CommandOptions extends WatchProcessOptions {
  /** What to run instead of a command of the user's own. */
  readonly program?: Program;
  /** When the program is to be ended, besides after its time. */
  readonly stop?: AbortSignal;
}

export async function watchCommand(
  command: readonly string[],
  options: CommandOptions,
): Promise<WatchedRun> {
  const program = options.program ?? prepareProgram(command);
  const run = newRun({ command, cwd: ownFolder(), recorder: 'ptrace' }, options);
  return notingFailure(run, async () => {
    const started = new StartedProgram();
    const { ignoredSignals } = program.inheritance;
    // Before it starts: a Ctrl-C then is the program's, and not the end of us.
    const interruption = new Interruption(started, ignoredSignals, options.durationMs);
    const end = (): void => interruption.endProgram();
    options.stop?.addEventListener('abort', end);
    try {
      const target = await launchTarget(program, { also: options.also });
      started.target = target;
      const stop = new AbortController().signal;
      const watched = await watchTarget(target, run, { ...options, ...seenBy(target), stop });
      const { interruptedBy } = started;
      noteEnd(run, interruptedBy);
      return { run, interruptedBy, ...watched };
    } finally {
      options.stop?.removeEventListener('abort', end);
      interruption.stopListening();
    }
  });
}

export interface AttachedOptions extends WatchProcessOptions {
  /** When to let it go, besides its own end. */
  readonly stop: AbortSignal;
  /** Is called when it is being watched. */
  readonly attached: () => void;
}

export async function watchProcess(process: Pid, options: AttachedOptions): Promise<WatchedRun> {
  const end = new AbortController();
  const endIt = (): void => end.abort();
  const target = await attachTarget(process, { also: options.also });
  const timer =
    options.durationMs === undefined ? undefined : setTimeout(endIt, options.durationMs);
  options.stop.addEventListener('abort', endIt);
  if (options.stop.aborted) endIt();
  try {
    const { commandLine, path, folder } = runningProgram(process);
    const command = commandLine === '' ? [path] : commandLine.split('\0');
    const run = newRun({ command, cwd: folder, recorder: 'ptrace' }, options);
    return await notingFailure(run, async () => {
      options.attached();
      const how = { ...options, ...seenBy(target), stop: end.signal };
      const watched = await watchTarget(target, run, how);
      noteEnd(run, undefined);
      return { run, interruptedBy: undefined, ...watched };
    });
  } finally {
    clearTimeout(timer);
    options.stop.removeEventListener('abort', endIt);
    await target.leave();
  }
}

const seenBy = (target: PtraceTarget): Pick<WatchTargetOptions, 'watchesBy' | 'problems'> => ({
  watchesBy: target.watchesBy,
  problems: () =>
    target.missingLibraries.map((name) => `--also ${name}: no such library was ever loaded`),
});

class StartedProgram implements Interruptible {
  target: PtraceTarget | undefined;
  interruptedBy: number | undefined;

  get alive(): Tid | undefined {
    return this.target && tid(this.target.pid);
  }

  demandEnd(): void {
    if (this.target === undefined) return;
    const processes = new Set(runningTree(this.target.pid).map(({ process }) => process));
    // Some may be gone already, and those of other users do not hear us.
    for (const process of processes) void tryTo(() => sendSignal(process, Signal.SIGKILL));
  }
}
