/**
 * Runs a program and leaves a trace of what its threads did:
 *
 *   find what is to be traced  →  clones of its functions  →  run it with the agent  →  logs to trace.bin
 *
 * All that can be wrong with the program is said before a run directory is made. Once it has run, its own end
 * is what the user gets to see, unless the trace lacks something for want of room.
 */
import { join } from 'node:path';
import { findProgram } from '../../linux/find-program.ts';
import { ownEnvironment, ownInheritance } from '../../linux/own-inheritance.ts';
import { ownFolder } from '../../linux/own-process.ts';
import { signalName } from '../../linux/signals.ts';
import type { UntracedProgram } from '../../linux/start-untraced.ts';
import type { ImageFile } from '../../preload/image-file.ts';
import { readImage, requirePreloadable } from '../../preload/require-preloadable.ts';
import { DID_NOT_END } from '../../trace/new-run-info.ts';
import { createRun, type Run } from '../../trace/run-directory.ts';
import type { RunInfo } from '../../trace/run-info.ts';
import { AgentFolder } from './agent-folder.ts';
import { findAlso } from './find-also.ts';
import { type PreparedImage, prepareBlobs } from './prepare-blobs.ts';
import { type AgentRun, runWithAgent } from './run-with-agent.ts';
import type { TraceContents } from './write-trace.ts';

export interface TraceProgramOptions {
  /** Of deadheat. */
  readonly version: string;
  /** Libraries and executables to trace beside the program's own. */
  readonly also: readonly string[];
  /** After this time the program is ended. */
  readonly timeoutMs?: number | undefined;
  /** The user's -o DIR. */
  readonly output?: string | undefined;
}

export interface TracedProgram {
  readonly run: Run;
  readonly ran: AgentRun;
  readonly target: Target;
  readonly images: readonly PreparedImage[];
  readonly trace: TraceContents;
}

/** What there is to run, and to trace. */
export interface Target {
  readonly program: UntracedProgram;
  /** The script, if it is one. */
  readonly script?: string | undefined;
  /** The executable first. */
  readonly images: readonly ImageFile[];
}

export function findTarget(command: readonly string[], also: readonly string[]): Target {
  const { path, executable, script } = findProgram(command[0] ?? '');
  const image = requirePreloadable(executable, 'trace');
  const others = findAlso(also, executable).map((path) => readImage(path, 'trace'));
  const program = {
    path,
    args: command,
    environment: ownEnvironment(),
    inheritance: ownInheritance(),
    // What is predicted is looked for again in another run, best at the same addresses.
    fixedAddresses: true,
  };
  return { program, script, images: [image, ...others] };
}

export async function traceProgram(
  command: readonly string[],
  options: TraceProgramOptions,
): Promise<TracedProgram> {
  const { version, also, timeoutMs, output } = options;
  const target = findTarget(command, also);
  const images = await prepareBlobs(target.images, { logs: true });
  const info = { version, engine: 'threads', recorder: 'agent', cwd: ownFolder() } as const;
  const run = createRun({ ...info, command: [...command] }, { output });
  try {
    run.update({ files: { in: 'place' } });
    const { ran, trace } = await runAndWrite(run, target, images, timeoutMs);
    run.update({ exit: exitOf(ran), ranMs: ran.milliseconds, ...stateOf(ran, trace) });
    return { run, ran, target, images, trace };
  } catch (error) {
    noteFailure(run, error);
    throw error;
  }
}

async function runAndWrite(
  run: Run,
  { program }: Target,
  images: readonly PreparedImage[],
  timeoutMs: number | undefined,
): Promise<{ ran: AgentRun; trace: TraceContents }> {
  const folder = new AgentFolder(join(run.path, 'agent'), images);
  try {
    const ran = await runWithAgent(program, folder, timeoutMs);
    folder.freeRoom();
    // Only now: it is not needed before, and the program should not have to wait for it.
    const { writeTrace } = await import('./write-trace.ts');
    return { ran, trace: writeTrace(run.traceFile, folder, ran, images) };
  } finally {
    folder.remove();
  }
}

function exitOf({ end }: AgentRun): NonNullable<RunInfo['exit']> {
  return 'signal' in end ? { signal: signalName(end.signal) } : { code: end.status };
}

function stateOf(
  { interruptedBy, timeIsUp }: AgentRun,
  { stopped }: TraceContents,
): Pick<RunInfo, 'state' | 'reason'> {
  if (stopped !== undefined) return { state: 'interrupted', reason: stopped };
  if (interruptedBy !== undefined) {
    return { state: 'interrupted', reason: `ended by ${signalName(interruptedBy)}` };
  }
  return { state: 'complete', ...(timeIsUp && { reason: DID_NOT_END }) };
}

/** On a full disk, why the trace failed is what the user must hear of. */
function noteFailure(run: Run, error: unknown): void {
  try {
    run.update({ state: 'failed', reason: error instanceof Error ? error.message : String(error) });
  } catch {
    // Told already.
  }
}
