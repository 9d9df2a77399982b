/** What ran, how it ended, and what was found, in one look. */
import { shellLine } from '../src/base/shell-line.ts';
import type { PageData } from '../src/report/html/page-data.ts';
import type { Report } from '../src/report/model.ts';
import { plural } from '../src/report/wording.ts';
import { Code, visible } from './text.tsx';
import { VERDICTS, VerdictBadge, verdictLook } from './verdict.tsx';

const LOOKED_FOR: Readonly<Record<Report['engine'], string>> = {
  procs: 'races between processes',
  threads: 'races between threads, predicted from one run',
  sample: 'races between threads, sampled',
  watch: 'races caught in the act',
  tolerate: 'races with critical sections that were isolated',
};

export function Header({ data, onHelp }: { data: PageData; onHelp: () => void }) {
  const { report, notes, startedAt } = data;
  const { races, warnings = [], suppressed = {} } = report;
  const left = Object.values(suppressed).reduce((sum, count) => sum + count, 0);
  const remarks = [
    ...notes,
    ...(report.remarks ?? []),
    ...warnings,
    ...(left > 0 ? [`${plural(left, 'race')} left out by suppressions`] : []),
  ];
  const worst = races.some(({ verdict }) => verdictLook(verdict, report.engine).severity === 'bad')
    ? 'bad'
    : races.length > 0
      ? 'open'
      : 'fine';
  return (
    <header class={`top top-${worst}`}>
      <div class="brand">
        <b>deadheat</b> <span>{LOOKED_FOR[report.engine]}</span>
        <button type="button" class="plain" onClick={onHelp} title="Keys (?)">
          ? keys
        </button>
      </div>
      <h1>
        {report.command.length > 0 ? (
          <Code text={shellLine(report.command)} />
        ) : (
          'a process that ran already'
        )}
      </h1>
      <p class="summary">
        {races.length === 0 ? (
          <b>No races were found.</b>
        ) : (
          <>
            <b>{plural(races.length, 'race')}:</b>
            {VERDICTS.map((verdict) => (
              <Count key={verdict} {...{ races, verdict }} />
            ))}
          </>
        )}
      </p>
      <p class="facts">
        {endOf(report)} · {visible(report.run)} ·{' '}
        <time dateTime={startedAt}>{dateOf(startedAt)}</time> · deadheat {report.version}
      </p>
      {remarks.length > 0 && (
        <details class="remarks" open={remarks.length < 3}>
          <summary>{plural(remarks.length, 'remark')}</summary>
          <ul>
            {remarks.map((text) => (
              <li key={text}>{visible(text)}</li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

function Count({
  races,
  verdict,
}: {
  races: Report['races'];
  verdict: Report['races'][number]['verdict'];
}) {
  const count = races.filter((race) => race.verdict === verdict).length;
  if (count === 0) return null;
  return (
    <span class="count">
      {count < races.length && <b>{count} </b>}
      <VerdictBadge verdict={verdict} />
    </span>
  );
}

export function endOf({ exit }: Pick<Report, 'exit'>): string {
  // It was attached to, and let go; or a guest, which has ended with us.
  if (exit === undefined) return 'was not seen to end';
  return exit.signal === undefined
    ? `ended with status ${exit.code}`
    : `killed by ${visible(exit.signal)}`;
}

function dateOf(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString();
}
