/** What `replay` does with the runs of each engine. */
import { join } from 'node:path';
import { assert } from '../base/assert.ts';
import { UserError } from '../base/user-error.ts';
import type { Run } from '../trace/run-directory.ts';
import type { Outcome } from './outcome.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** `race`: the id of one; absent: the recorded order. */
export async function replayProcesses(
  run: Run,
  race: string | undefined,
  timeoutMs: number | undefined,
  terminal: Terminal,
): Promise<Outcome> {
  const { replay } = await import('../procs/validate/replay.ts');
  const { EarlyEnd } = await import('./early-end.ts');
  const { showingProgress } = await import('./progress.ts');
  const early = new EarlyEnd();
  // What the program prints is shown at its end.
  const replayed = await showingProgress(terminal, () =>
    replay(run, race, { version, limitMs: timeoutMs, stop: early.stop }),
  );
  early.stopListening();
  if (replayed) {
    process.stdout.write(replayed.stdout);
    process.stderr.write(replayed.stderr);
  }
  if (early.signal !== undefined) return { signal: early.signal };
  assert(replayed, 'only the user ends it early');
  if (replayed.hung) {
    terminal.warn('it did not end within its time, and was ended; --timeout gives it more');
    return { status: 1 };
  }
  // A race that is the other way round is what it is, however the program got there.
  const diverged = replayed.diverged ?? (race === undefined ? replayed.outOfTurn : undefined);
  if (diverged !== undefined) {
    terminal.warn(`it did not follow the recording: ${diverged}`);
    return { status: 1 };
  }
  if (replayed.outOfTurn !== undefined) {
    terminal.warn(`on the way there, it did not follow the recording: ${replayed.outOfTurn}`);
  }
  terminal.remark(`its output and the files that it changed are in ${replayed.folder}`);
  const { exit } = replayed;
  return 'signal' in exit ? exit : { status: exit.code };
}

/** The program runs as usual, with its own input and output, but for the moment at which both threads meet. */
export async function replayThreads(
  run: Run,
  id: string | undefined,
  timeoutMs: number | undefined,
  terminal: Terminal,
): Promise<Outcome> {
  const { goWhereItRan, predictionsOf, requireProgram, requireRace } = await import(
    './confirming.ts'
  );
  if (id === undefined) {
    throw new UserError(
      `${run.name} is a traced run, of which single races can be run again`,
      `name one, as in: deadheat replay ${run.name} R1`,
    );
  }
  requireProgram(run);
  const { report, trace, witnesses } = await predictionsOf(run, terminal);
  requireRace(run, id, report.races);
  goWhereItRan(run);
  const { confirmRace } = await import('../threads/confirm/confirm-race.ts');
  const { limitsFor } = await import('../threads/confirm/limits.ts');
  const { meetingText } = await import('../threads/confirm/told-confirmation.ts');
  const { findTarget } = await import('../threads/tracing/trace-program.ts');
  const { program } = findTarget(run.info.command, []);
  const target = { program, folder: join(run.path, 'agent') };
  const limits = limitsFor(run.info.ranMs ?? 0, timeoutMs);
  const result = await confirmRace(trace, witnesses.get(id)!, target, limits);
  if (result.kind === 'missed') {
    if (result.interruptedBy !== undefined) return { signal: result.interruptedBy };
    terminal.warn(`${id} did not show: ${result.reason}`);
    return { status: 1 };
  }
  const race = report.races.find((one) => one.id === id)!;
  terminal.print(`deadheat: ${id}: ${meetingText(race, result.sides)}\n`);
  return result.end;
}
