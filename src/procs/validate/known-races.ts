/**
 * The races of a recording, those of its report first and then the doubtful ones, each with what is
 * needed to run it the other way round.
 */
import { assert } from '../../base/assert.ts';
import type { Report } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { Analysis } from '../analyse.ts';
import { Branches } from '../branch/branch.ts';
import { doubtfulRaces } from '../detect/doubtful.ts';
import type { DetectedRace } from '../detect/race.ts';
import { buildDoubtfulTimeline, type Timeline } from '../detect/timeline.ts';
import { buildScript, type Script } from '../replay/script.ts';
import { significantCalls } from '../replay/significance.ts';
import { describeInstance } from '../report.ts';

export interface KnownRace {
  readonly race: DetectedRace;
  readonly id: string;
  readonly timeline: Timeline;
  readonly branches: Branches;
}

export class KnownRaces {
  readonly sure: Branches;
  readonly doubtful: Pick<Report, 'races' | 'tasks'>;
  readonly #races: readonly KnownRace[];

  readonly script: Script;

  constructor(run: Run, analysis: Analysis) {
    const { records, timeline, races, found, report } = analysis;
    const { cwd, folders, devices } = run.info;
    const weaker = buildDoubtfulTimeline(records, cwd, folders, devices);
    const others = weaker ? doubtfulRaces(weaker, found) : [];
    const timelines = weaker && others.length > 0 ? [timeline, weaker] : [timeline];
    const significant = new Set(timelines.flatMap((one) => [...significantCalls(one)]));
    const script = buildScript(records, significant);
    assert(script, 'a recording without tasks');
    this.script = script;
    this.sure = new Branches(timeline, script);
    const known = (race: DetectedRace, index: number): KnownRace => {
      const id = report.races[index]!.id;
      return { race, id, timeline, branches: this.sure };
    };
    const branches = weaker && others.length > 0 ? new Branches(weaker, script) : undefined;
    const doubted = others.map(
      (race, index): KnownRace => ({
        race,
        id: `D${index + 1}`,
        timeline: weaker!,
        branches: branches!,
      }),
    );
    this.#races = [...races.map(known), ...doubted];
    const told = doubted.map(({ race, id }) => describeInstance(run, weaker!, race, id));
    this.doubtful = {
      races: told.map(({ race }) => race),
      tasks: told.flatMap(({ tasks }) => tasks),
    };
  }

  at(index: number): KnownRace {
    const known = this.#races[index];
    assert(known, 'no such race');
    return known;
  }
}
