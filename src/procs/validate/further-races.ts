/**
 * Races that only another order brings about (RacePro, section 5.3.4): the recordings of branches
 * are searched like any other, and what is found there is run the other way round in turn.
 *
 *   R2      tee writes list while grep reads it                benign
 *   R2.R1   in the run in which R2 was the other way round: …  harmful
 */
import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { signalName } from '../../linux/signals.ts';
import type { Race, Report } from '../../report/model.ts';
import { Run } from '../../trace/run-directory.ts';
import type { RunOutcome } from '../check/outcome.ts';

/** What makes two races the same, in whichever run. */
export const causeOf = ({ kind, object, accesses }: Race): string => {
  const parties = accesses.map(({ process, what }) => `${process} ${what}`);
  return [kind, object.name, ...parties.sort()].join('\0');
};

/** The attempt in which a race was the other way round, as a run of its own. */
export function runOfAttempt(run: Run, outcome: RunOutcome): Run | undefined {
  const path = dirname(outcome.stdout);
  if (!existsSync(encodeBytes(join(path, 'trace.bin')))) return undefined;
  copyFileSync(
    encodeBytes(join(run.path, 'program.json')),
    encodeBytes(join(path, 'program.json')),
  );
  const { exit, layers } = outcome;
  const branch = new Run(path, run.info, run.home);
  branch.update({
    exit: 'signal' in exit ? { signal: signalName(exit.signal) } : exit,
    recorder: 'ptrace',
    files: {
      in: 'sandbox',
      kept: false,
      layers: layers.map(({ place, upper }) => ({ place, changes: upper.slice(path.length + 1) })),
    },
  });
  return branch;
}

/** What was found in that run, as part of the report on the whole. */
export function toldOf(report: Report, origin: Race): Pick<Report, 'races' | 'tasks'> {
  const races = report.races
    .filter(({ verdict }) => verdict === 'harmful')
    .map((race) => ({
      ...race,
      id: `${origin.id}.${race.id}`,
      evidence: `only after ${origin.id} (${origin.title}) came the other way round:\n${race.evidence}`,
    }));
  return { races, tasks: report.tasks };
}
