/** A race of a report, with its verdict. */
import type { Race, Task } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { Verdict } from './verdict.ts';

/** In place of an instance's number: it was not replayed, see branch/ambush.ts. */
export const AMBUSH = -1;

export function withVerdict(race: Race, verdict: Verdict, run: Run): Race {
  switch (verdict.kind) {
    case 'harmful':
      return {
        ...(verdict.told?.races[0] ?? race),
        occurrences: race.occurrences,
        ...(verdict.isAmbush && { instance: AMBUSH }),
        verdict: 'harmful',
        evidence: verdict.findings.map(({ evidence }) => evidence).join('\n'),
        replay: `deadheat replay ${run.name} ${race.id}`,
      };
    case 'benign':
      return { ...race, verdict: 'benign' };
    case 'diverged':
      return { ...race, verdict: 'diverged', evidence: verdict.reason };
  }
}

/** Those of `tasks` that are not `known`. */
export const unknownTasks = (tasks: readonly Task[], known: readonly Task[]): Task[] =>
  tasks.filter(({ pid, thread }) => !known.some((one) => one.pid === pid && one.thread === thread));
