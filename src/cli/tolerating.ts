/** What `tolerate` tells the user about a program that it has run, and how it exits because of it. */
import { basename } from 'node:path';
import { printable } from '../base/bytes.ts';
import { Signal, signalName } from '../linux/signals.ts';
import { keptReport } from '../report/kept-report.ts';
import { buildReport } from '../tolerate/runtime/report.ts';
import { type ToleratedProgram, tolerateProgram } from '../tolerate/runtime/tolerate-program.ts';
import { unseenLocks } from '../tolerate/unseen-locks.ts';
import type { TolerateOptions } from './commands/tolerate.ts';
import type { Outcome } from './outcome.ts';
import { present } from './present.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export async function tolerateAndTell(
  command: readonly string[],
  options: TolerateOptions,
  terminal: Terminal,
): Promise<Outcome> {
  const { timeout: timeoutMs, output } = options;
  const mode = {
    detects: options.detect ?? false,
    halts: options.intolerable === 'halt',
    isBlind: options.blindWrites ?? false,
  };
  const how = { version, mode, timeoutMs, output };
  const tolerated = await showingProgress(terminal, () => tolerateProgram(command, how));
  const { run } = tolerated;
  const report = keptReport(buildReport(tolerated, version), (text) => run.saveReport(text));
  tellOfSections(tolerated, terminal);
  for (const warning of report.warnings ?? []) terminal.warn(warning);
  // A file that was asked for is written, whatever is in it.
  const isAsked = options.json !== undefined || options.sarif !== undefined;
  if (report.races.length > 0 || isAsked) {
    terminal.remark(`the report is in ${run.name}`);
    present(report, options, terminal);
  }
  return ownEnd(tolerated, terminal);
}

function tellOfSections(
  { plans, rewritten, image, elf }: ToleratedProgram,
  terminal: Terminal,
): void {
  const name = printable(basename(image.path));
  const isolated = rewritten.isolated.length;
  if (plans.length === 0) {
    const unseen = unseenLocks(elf);
    terminal.warn(
      unseen === undefined
        ? `${name} has no critical sections of its own: it ran as it is`
        : `no critical sections of ${name} were found, it ran as it is: ${unseen}`,
    );
  } else if (isolated < plans.length) {
    const how = `${isolated} of ${plans.length} critical sections of ${name} are isolated; --explain says why`;
    if (isolated === 0) terminal.warn(how);
    else terminal.remark(`${how} not all`);
  }
}

function ownEnd({ ran, seen }: ToleratedProgram, terminal: Terminal): Outcome {
  const { end, interruptedBy, killed, timeIsUp } = ran;
  if (seen.isHalted) terminal.warn('the program was ended at a race that cannot be tolerated');
  if (interruptedBy !== undefined) {
    terminal.warn(`interrupted by ${signalName(interruptedBy)}: the program has ended`);
    if (killed) return { signal: interruptedBy };
  }
  // That our own signal ended it is no failure.
  const wasEnded = killed || ('signal' in end && end.signal === Signal.SIGINT);
  return timeIsUp && wasEnded ? { status: 0 } : end;
}
