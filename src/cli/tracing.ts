/** What `trace` tells the user about a program that it has run, and how it exits because of it. */
import { basename } from 'node:path';
import { printable } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { Signal, signalName } from '../linux/signals.ts';
import { type TracedProgram, traceProgram } from '../threads/tracing/trace-program.ts';
import {
  stillRunning,
  type TracedImage,
  tracedImages,
  untracedPrograms,
} from '../threads/tracing/what-was-traced.ts';
import type { Run } from '../trace/run-directory.ts';
import type { RunOptions } from './common-options.ts';
import { counted, eventsInRun } from './counted.ts';
import type { Outcome } from './outcome.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export interface TracingOptions extends RunOptions {
  also: string[];
  timeout?: number;
}

export async function trace(
  command: readonly string[],
  options: TracingOptions,
  terminal: Terminal,
): Promise<Outcome> {
  return (await traceAndTell(command, options, terminal)).outcome.own;
}

export interface TracedAndTold {
  readonly run: Run;
  readonly outcome: {
    /** How the program ended, which becomes our own end. */
    readonly own: Outcome;
    readonly interrupted: boolean;
  };
}

export async function traceAndTell(
  command: readonly string[],
  { also, timeout: timeoutMs, output }: TracingOptions,
  terminal: Terminal,
): Promise<TracedAndTold> {
  const how = { version, also, timeoutMs, output };
  const traced = await showingProgress(terminal, () => traceProgram(command, how));
  tellOfEnd(traced, timeoutMs, terminal);
  requireSomething(traced);
  tellOfImages(traced, terminal);
  tellOfTrace(traced, terminal);
  const interrupted = traced.ran.interruptedBy !== undefined;
  return { run: traced.run, outcome: { own: ownEnd(traced.ran), interrupted } };
}

function ownEnd({ end, killed, interruptedBy, timeIsUp }: TracedProgram['ran']): Outcome {
  if (interruptedBy !== undefined && killed) return { signal: interruptedBy };
  // That our own signal ended it is no failure.
  const wasEnded = killed || ('signal' in end && end.signal === Signal.SIGINT);
  return timeIsUp && wasEnded ? { status: 0 } : end;
}

function tellOfEnd(
  { run, ran: { interruptedBy, timeIsUp } }: TracedProgram,
  timeoutMs: number | undefined,
  terminal: Terminal,
): void {
  if (interruptedBy !== undefined) {
    terminal.warn(
      `interrupted by ${signalName(interruptedBy)}: the program has ended; ` +
        `what it did until then is kept in ${run.name}`,
    );
  } else if (timeIsUp) {
    const seconds = Math.round((timeoutMs ?? 0) / 100) / 10;
    terminal.warn(
      `the program did not end within ${seconds} s, and was ended; ` +
        `what it did until then is kept in ${run.name}; --timeout gives it more`,
    );
  }
}

/** A trace of nothing must not look like a program without races. */
function requireSomething({ ran: { records }, target, trace }: TracedProgram): void {
  if (records.some(({ kind }) => kind === 'module')) return;
  const [image] = target.images;
  const name = printable(image?.path ?? '');
  const isThere = records.some(({ kind }) => kind === 'hello');
  const why = isThere ? trace.problems.join('; ') : 'the agent was not loaded';
  throw new UserError(
    `nothing of ${name} was traced${why && `: ${why}`}`,
    "see 'deadheat doctor' for whether the agent works here",
    ExitStatus.unavailable,
  );
}

function tellOfImages(
  { ran: { records }, target, images }: TracedProgram,
  terminal: Terminal,
): void {
  if (target.script !== undefined) {
    const [interpreter] = target.images;
    terminal.remark(
      `${printable(target.script)} is a script; traced is what runs it, ${printable(interpreter?.path ?? '')}`,
    );
  }
  for (const image of tracedImages(images, records)) {
    const where = images.length > 1 ? ` in ${printable(basename(image.path))}` : '';
    if (!image.isLoaded) terminal.warn(`${printable(image.path)} was not loaded by any process`);
    else if (image.functionsTraced === 0) terminal.warn(functionsOf(image, where));
    else terminal.remark(functionsOf(image, where));
  }
  const untraced = untracedPrograms(records);
  if (untraced.length > 0) {
    const shown = untraced.slice(0, MOST_SHOWN).map(printable).join(', ');
    const more = untraced.length > MOST_SHOWN ? ` and ${untraced.length - MOST_SHOWN} more` : '';
    terminal.remark(`not traced: ${shown}${more}; --also would trace them, too`);
  }
  const left = stillRunning(records);
  if (left.length > 0) {
    terminal.warn(
      `process ${left.join(', ')} is still running: what it does from now on is in no trace`,
    );
  }
}

const MOST_SHOWN = 3;

/** `42 of 43 functions traced; 1 skipped: no instruction (fast_copy)`. */
function functionsOf({ functionsTraced, functions, skipped }: TracedImage, where: string): string {
  const head = `${functionsTraced} of ${counted(functions, 'function')} traced${where}`;
  const reasons = skipped.map((some) => `${some.functions} skipped: ${printable(some.reason)}`);
  return [head, ...reasons].join('; ');
}

function tellOfTrace({ run, trace }: TracedProgram, terminal: Terminal): void {
  const { events, threads, processes, problems, stopped } = trace;
  for (const problem of problems) terminal.warn(printable(problem));
  const where = processes > 1 ? ` in ${processes} processes` : '';
  terminal.remark(eventsInRun(events, threads, run.name, where));
  if (stopped === undefined) return;
  throw new UserError(
    `the trace in ${run.name} ends before the program did: ${stopped}`,
    'free some space, or choose another place with -o DIR',
    ExitStatus.unavailable,
  );
}
