/**
 * Verdicts take long to reach, so whoever looks for the races of a recording once more gets those that
 * were reached before, with all that belongs to them:
 *
 *   report.json   R1 harmful (ends in the same way: R3), R2 benign, D1 harmful
 *   found now     R1, R2, R3, R4
 *   told          R1 harmful, D1 harmful, R4, R2 benign
 *
 * They hold only for the very same recording, and as long as races are numbered in the same way.
 */
import { byVerdict } from '../../report/findings.ts';
import type { Race, Report } from '../../report/model.ts';
import { savedReport } from '../../report/saved-report.ts';
import { fingerprint } from '../../trace/fingerprint.ts';
import type { Run } from '../../trace/run-directory.ts';
import { unknownTasks } from './told-verdict.ts';

export function withEarlierVerdicts(run: Run, report: Report): Report {
  const earlier = savedReport(run);
  const verdicts = earlier?.races.filter(hasVerdict) ?? [];
  if (!earlier || verdicts.length === 0) return report;
  const obstacle = obstacleTo(run, earlier, report);
  if (obstacle !== undefined) {
    const warning = `what was validated earlier is left out: ${obstacle}`;
    return { ...report, warnings: [...(report.warnings ?? []), warning] };
  }
  const known = new Set(verdicts.flatMap(({ id, also = [] }) => [id, ...also.map(idIn)]));
  const races = [...verdicts, ...report.races.filter(({ id }) => !known.has(id))];
  const warnings = new Set([...(report.warnings ?? []), ...(earlier.warnings ?? [])]);
  const tasks = report.tasks ?? [];
  return {
    ...report,
    races: races.sort(byVerdict),
    tasks: [...tasks, ...unknownTasks(earlier.tasks ?? [], tasks)],
    ...(warnings.size > 0 && { warnings: [...warnings] }),
    stats: { ...report.stats, validation: earlier.stats.validation },
  };
}

const hasVerdict = ({ verdict }: Race): boolean => verdict !== 'detected';

/** `R3` of `R3: mv moves f while cat reads it`. */
const idIn = (also: string): string => also.slice(0, also.indexOf(':'));

function obstacleTo(run: Run, earlier: Report, now: Report): string | undefined {
  const { recording } = (earlier.stats.validation ?? {}) as { recording?: unknown };
  if (recording !== fingerprint(run)) return 'the recording is not the same any more';
  if (earlier.version !== now.version) return `it was done by deadheat ${earlier.version}`;
  const fits = ({ id, kind, object }: Race): boolean => {
    const same = earlier.races.find((race) => race.id === id);
    return !same || (same.kind === kind && same.object.name === object.name);
  };
  return now.races.every(fits) ? undefined : 'the races have other numbers now';
}
