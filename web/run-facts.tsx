/** What is known of a run beyond its races one by one: for engines that see a part of it, where, and how likely. */
import type { Race, Report } from '../src/report/model.ts';
import { Odds } from './odds.tsx';
import { Sites } from './sites.tsx';

interface RunFactsProps {
  readonly report: Report;
  readonly races: readonly Race[];
  readonly onChoose: (id: string) => void;
}

export function RunFacts({ report, races, onChoose }: RunFactsProps) {
  switch (report.engine) {
    case 'sample':
    case 'watch':
      return (
        <div class="run-facts">
          <Sites {...{ races, onChoose }} />
          <Odds report={report} />
        </div>
      );
    case 'procs':
    case 'threads':
    case 'tolerate':
      return null;
  }
}
