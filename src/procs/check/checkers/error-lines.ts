/**
 * New complaints, on stderr or in files that look like logs: a line that looks like an error, and of
 * which there is nothing like it in the recorded run. Where it stands, and how often, does not matter:
 * programs that run at the same time write in any order, and a log may be another one.
 */
import { existsSync, openSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { encodeBytes, printable } from '../../../base/bytes.ts';
import { FileContent } from '../file-state.ts';
import type { Around, Checker } from '../finding.ts';
import type { RunOutcome } from '../outcome.ts';
import { likeness, looksLikeError } from './error-line.ts';
import { linesOf } from './lines.ts';

const MOST_SHOWN = 3;
const LOG = /\.(log|err)$|^\/var\/log\//;

export const errorLines: Checker = (recorded, branch, around) => {
  const logs = logsOf(branch, around);
  const said = errorsIn(branch, logs, around);
  // A recorded run of which nobody knows what it said.
  if (said.size === 0 || !existsSync(encodeBytes(recorded.stderr))) return undefined;
  const before = errorsIn(recorded, [...logs, ...logsOf(recorded, around)], around);
  const added = [...said].filter(([like]) => !before.has(like)).map(([, line]) => line);
  if (added.length === 0) return undefined;
  const shown = added.slice(0, MOST_SHOWN);
  const more = added.length > MOST_SHOWN ? [`and ${added.length - MOST_SHOWN} more`] : [];
  return { checker: 'error-lines', evidence: [...shown, ...more].join('\n') };
};

/** Unstable ones too, as logs with dates in them are: lines are compared without these. */
function logsOf(run: RunOutcome, { filesOf, ignored }: Around): string[] {
  return [...filesOf(run).paths()].filter((path) => LOG.test(path) && !ignored.has(path));
}

/** The first line of each likeness. */
function errorsIn(
  run: RunOutcome,
  logs: readonly string[],
  { filesOf }: Around,
): Map<string, string> {
  const states = logs.map((path) => filesOf(run).stateOf(path));
  const contents = states.flatMap((state) => (state.kind === 'file' ? [state.content] : []));
  const stderr = new FileContent(run.stderr, () => openSync(encodeBytes(run.stderr), 'r'));
  const found = new Map<string, string>();
  for (const content of [stderr, ...contents]) {
    for (const line of linesOf(content)) {
      if (!looksLikeError(line)) continue;
      const like = likeness(line);
      if (!found.has(like)) found.set(like, printable(stripVTControlCharacters(line).trim()));
    }
  }
  return found;
}
