/** From what the analysis has found to the report that all engines share. */
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { Analysis } from './analyse/analyse.ts';
import type { Odds } from './odds.ts';
import type { SampledInfo } from './sampled-info.ts';

export interface SampledRun {
  readonly run: Pick<Run, 'name' | 'info'>;
  readonly sampled: SampledInfo;
}

/** `runs`: the first one gives the report its command. */
export function buildReport(
  runs: readonly [SampledRun, ...SampledRun[]],
  version: string,
  { races, warnings, stats }: Analysis,
): Report {
  const [{ run, sampled }] = runs;
  const told = [...runs.flatMap(weakness), ...lacksSamples(stats), ...warnings];
  const remarks = stats.mostThreads < 2 ? [] : outlook(stats.odds);
  return {
    ...{ schema: 1, tool: 'deadheat', version, engine: 'sample', command: sampled.command },
    run: runs.map((one) => one.run.name).join(', '),
    ...(runs.length === 1 && run.info.exit && { exit: run.info.exit }),
    races: races.map((race, index) => ({ id: `R${index + 1}`, ...race })),
    ...(told.length > 0 && { warnings: told }),
    ...(remarks.length > 0 && { remarks }),
    stats: { ...stats, sampled: runs.map(howSampled) },
  };
}

/** Of a run whose deadheat has not come to its end. */
function weakness({ run: { name, info } }: SampledRun): string[] {
  if (info.state !== 'recording') return [];
  return [`${name} is still being sampled, or deadheat was killed: this is what there is so far`];
}

/** That nothing was found must not be taken for more than it is. */
function lacksSamples({ interrupts, mostThreads, processes }: Analysis['stats']): string[] {
  if (interrupts === 0) return ['there are no samples: nothing can be said about races'];
  if (mostThreads >= 2) return [];
  const where = processes > 1 ? ' of each process' : '';
  return [`of only one thread${where} there are samples: nothing can race`];
}

const howSampled = ({ run, sampled }: SampledRun): object => {
  const { machine, event, budget, lastKind, lastPeriod, samples, missed, cost } = sampled;
  return { run: run.name, machine, event, budget, lastKind, lastPeriod, samples, missed, cost };
};

const LIKELY = 0.95;

/**
 * What the odds say, in two lines:
 *
 *   a race with each side in 1 of 1,000 accesses would have been found by now (99%)
 *   one with each side in 1 of 10,000: 41%; another 12 min of processor time would make it 95%
 */
export function outlook(odds: readonly Odds[]): string[] {
  const sure = odds.filter(({ caught }) => caught >= LIKELY).at(-1);
  const open = odds.find(({ caught }) => caught < LIKELY);
  const lines: string[] = [];
  if (sure !== undefined) {
    lines.push(`${kind(sure)} would most likely have been found by now (${percent(sure.caught)})`);
  }
  if (open !== undefined && open.secondsNeeded > 0) {
    const more = `another ${duration(open.secondsToGo)} of processor time would make it 95%`;
    lines.push(`${kind(open)} would have been found with ${percent(open.caught)}; ${more}`);
  }
  return lines;
}

const kind = ({ oneIn }: Odds): string =>
  `a race with each side in 1 of ${`${oneIn}`.replace(/\B(?=(\d{3})+$)/g, ',')} accesses`;

/** Nothing is certain. */
const percent = (share: number): string => `${Math.min(99, Math.floor(share * 100))}%`;

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 3600)} h`;
}
