/** Both orders of a race side by side, and what each of them led to. */

import { bothOrders, type Side } from '../../src/report/both-orders.ts';
import type { Race, Report } from '../../src/report/model.ts';
import { endOf } from '../header.tsx';
import { Letter } from '../sides.tsx';
import { Code, Lines, visible } from '../text.tsx';

export function TwoOrders({ race, report }: { race: Race; report: Report }) {
  const { recorded, other } = bothOrders(race);
  const isBad = race.verdict === 'harmful';
  const wentWell = report.exit?.code === 0;
  return (
    <section class="orders" aria-label="Both orders">
      <div class="card">
        <h3>
          <span class={`verdict verdict-${wentWell ? 'fine' : 'open'}`} aria-hidden="true">
            {wentWell ? '✔' : '•'}
          </span>{' '}
          What happened
        </h3>
        <Steps sides={recorded} />
        <div class="outcome">
          <p>The program {endOf(report)}.</p>
        </div>
      </div>
      <div class={`card ${isBad ? 'card-bad' : ''}`}>
        <h3>
          <span class={`verdict verdict-${isBad ? 'bad' : 'open'}`} aria-hidden="true">
            {isBad ? '✖' : '⇄'}
          </span>{' '}
          {isBad ? 'What can happen' : 'The other way round'}
        </h3>
        <Steps sides={other} />
        <div class="outcome">
          <Outcome race={race} run={report.run} />
        </div>
      </div>
    </section>
  );
}

function Steps({ sides }: { sides: readonly Side[] }) {
  return (
    <ol class="steps">
      {sides.map(({ index, access }) => (
        <li key={index}>
          <Letter index={index} />
          <span>
            <b>{visible(access.process)}</b> <small>pid {access.pid}</small>
            <br />
            <Code text={access.what} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Outcome({ race, run }: { race: Race; run: string }) {
  switch (race.verdict) {
    case 'harmful':
      return <Lines text={race.evidence ?? 'it did harm'} />;
    case 'benign':
      return <p>It was run in this order, and ended no worse.</p>;
    case 'diverged':
      return <p>It could not be run in this order: {visible(race.evidence ?? 'not known why')}</p>;
    case 'detected':
    case 'predicted':
    case 'confirmed':
    case 'tolerated':
      return (
        <p>
          Nobody has tried yet: <Code text={`deadheat validate ${run}`} />
        </p>
      );
  }
}
