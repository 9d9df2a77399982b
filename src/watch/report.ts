/** From what was caught to the report that all engines share. */
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { CaughtRaces } from './caught-races.ts';
import type { TargetEnd } from './debug-target.ts';
import type { WatchSettings } from './settings.ts';
import type { WatchLoop } from './watch-loop.ts';

export interface Watching {
  readonly loop: WatchLoop;
  readonly caught: CaughtRaces;
  readonly settings: WatchSettings;
  readonly seed: number;
  /** By which means memory was watched. */
  readonly watchesBy: string;
  /** undefined if it still runs. */
  readonly end: TargetEnd | undefined;
  readonly warnings: readonly string[];
}

export function buildReport(
  run: Pick<Run, 'name' | 'info'>,
  version: string,
  watching: Watching,
): Report {
  const { caught, end } = watching;
  const races = caught.races();
  const warnings = [...watching.warnings, ...ownWarnings(watching)];
  return {
    ...{ schema: 1, tool: 'deadheat', version, engine: 'watch' },
    command: run.info.command,
    run: run.name,
    ...(end && end.lostBecause === undefined && { exit: exitOf(end) }),
    races,
    tasks: caught.tasks(),
    ...(warnings.length > 0 && { warnings }),
    stats: statsOf(watching),
  };
}

export const exitOf = ({ code, signal }: TargetEnd): { code: number } | { signal: string } =>
  signal === undefined ? { code: code ?? 0 } : { signal };

/** That nothing was found must not be taken for more than it is. */
function ownWarnings({ loop, end }: Watching): string[] {
  const { figures, sampler } = loop;
  const warnings: string[] = [];
  if (end?.lostBecause !== undefined) warnings.push(`the watching has ended: ${end.lostBecause}`);
  if (sampler.functionCount === 0) warnings.push('no function was there to be sampled');
  else if (figures.hits === 0) warnings.push('no sampled instruction was reached');
  else if (figures.windows === 0) {
    warnings.push('whenever a sampled instruction was reached, nobody else was running');
  }
  return warnings;
}

function statsOf(watching: Watching): Report['stats'] {
  const { loop, caught, settings, seed, watchesBy } = watching;
  const { figures, sampler } = loop;
  const now = performance.now();
  const { held, own } = figures.overhead(now);
  const seconds = figures.seconds(now);
  return {
    seconds: rounded(seconds),
    hits: figures.hits,
    hitsPerSecond: rounded(figures.hits / seconds),
    windows: figures.windows,
    windowsWithoutRegister: figures.windowsWithoutRegister,
    caught: { ...caught.strategies },
    functions: sampler.functionCount,
    instructions: sampler.known.instructions,
    retired: sampler.known.retired,
    heldShare: rounded(held),
    ownProcessorShare: rounded(own),
    ...{ rate: settings.rate, windowMs: settings.windowMs, seed, watchesBy },
    ...(settings.functions && { functionsWanted: settings.functions.source }),
  };
}

const rounded = (number: number): number => Math.round(number * 1000) / 1000;
