/**
 * Watches a target to its end, or until somebody wants it to end, and leaves a report in the run directory. What is
 * watched is let go in any case, with nothing of us left in it.
 */
import { keptReport } from '../report/kept-report.ts';
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { CaughtRace } from './caught.ts';
import { CaughtRaces, type Found } from './caught-races.ts';
import type { DebugTarget, TargetEnd } from './debug-target.ts';
import { buildReport, exitOf } from './report.ts';
import type { WatchSettings } from './settings.ts';
import { resolveSuspects, type Suspect } from './suspects.ts';
import { WatchLoop } from './watch-loop.ts';

export interface WatchTargetOptions {
  readonly version: string;
  readonly settings: WatchSettings;
  readonly seed: number;
  readonly suspects: readonly Suspect[];
  /** Whose functions are sampled as long as the settings name none. */
  readonly usualModules?: readonly string[] | undefined;
  /** Called with each race that is new, while both runners stand. */
  readonly found?: ((race: CaughtRace, told: Found) => Promise<void>) | undefined;
  /** So many races end it. */
  readonly enough?: number | undefined;
  /** By which means memory is watched: for the report. */
  readonly watchesBy: string;
  readonly stop: AbortSignal;
  /** How it has ended, where the target goes on: the workload of a guest. */
  readonly ended?: (() => TargetEnd | undefined) | undefined;
  /** What the user should know at the end. */
  readonly problems?: (() => readonly string[]) | undefined;
  /** Called once the watching has begun; what it returns is called at its end. */
  readonly onlooker?: (watching: OnlookersView) => () => void;
}

export interface OnlookersView {
  readonly loop: WatchLoop;
  readonly caught: CaughtRaces;
}

export interface Watched {
  readonly report: Report;
  /** undefined if it was let go while it was running. */
  readonly end: TargetEnd | undefined;
}

export async function watchTarget(
  target: DebugTarget,
  run: Run,
  options: WatchTargetOptions,
): Promise<Watched> {
  const { version, settings, seed, suspects, watchesBy, onlooker, usualModules, enough } = options;
  const caught = new CaughtRaces(target);
  const isEnough = new AbortController();
  const stop = AbortSignal.any([options.stop, isEnough.signal]);
  const warnings = new Set<string>();
  const loop: WatchLoop = new WatchLoop(target, {
    ...{ settings, seed, stop, usualModules },
    caught: async (race) => {
      const told = await caught.add(race);
      if (told !== undefined) await options.found?.(race, told);
      if (enough !== undefined && caught.completeCount >= enough) isEnough.abort();
    },
    suspects: async () => {
      const { addresses, problems } = await resolveSuspects(target, loop.code, suspects);
      for (const problem of problems) warnings.add(problem);
      return addresses;
    },
  });
  const lookAway = onlooker?.({ loop, caught });
  let end: TargetEnd | undefined;
  try {
    end = (await loop.run()) ?? options.ended?.();
  } finally {
    lookAway?.();
    await target.leave();
  }
  for (const problem of options.problems?.() ?? []) warnings.add(problem);
  if (end && end.lostBecause === undefined) run.update({ exit: exitOf(end) });
  const watching = { loop, caught, settings, seed, watchesBy, end, warnings: [...warnings] };
  const report = keptReport(buildReport(run, version, watching), (text) => run.saveReport(text));
  return { report, end };
}
