/** The run directory of something that is watched: made before, and completed by how it ended. */
import { tryTo } from '../base/result.ts';
import { signalName } from '../linux/signals.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import type { Watched, WatchTargetOptions } from './watch-target.ts';

export interface WatchRunOptions extends Omit<WatchTargetOptions, 'watchesBy' | 'stop'> {
  readonly output?: string | undefined;
  /** For how long; then a program that we have started is ended as by Ctrl-C. */
  readonly durationMs?: number | undefined;
}

export interface WatchedRun extends Watched {
  readonly run: Run;
  /** The signal by which the user asked for the end. */
  readonly interruptedBy: number | undefined;
  /** Races of a kernel as KCSAN prints them. */
  readonly kcsan?: string;
}

export interface WatchedThing {
  readonly command: readonly string[];
  readonly cwd: string;
  /** What stops it: ptrace, or a gdb stub. */
  readonly recorder: 'ptrace' | 'gdb';
}

export function newRun(
  { command, cwd, recorder }: WatchedThing,
  { version, output }: Pick<WatchRunOptions, 'version' | 'output'>,
): Run {
  const info = { version, engine: 'watch', recorder, cwd } as const;
  const run = createRun({ ...info, command: [...command] }, { output });
  run.update({ files: { in: 'place' } });
  return run;
}

export function noteEnd(run: Run, interruptedBy: number | undefined): void {
  if (interruptedBy === undefined) run.update({ state: 'complete' });
  else run.update({ state: 'interrupted', reason: `ended by ${signalName(interruptedBy)}` });
}

export async function notingFailure<T>(run: Run, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // On a full disk, why it failed is what the user must hear of.
    void tryTo(() => run.update({ state: 'failed', reason }));
    throw error;
  }
}
