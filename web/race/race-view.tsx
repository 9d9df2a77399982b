/** Everything about one race, the most telling first. */

import { sidesOf } from '../../src/report/both-orders.ts';
import type { PageData } from '../../src/report/html/page-data.ts';
import type { Race, Report, Verdict } from '../../src/report/model.ts';
import { provingCommand } from '../../src/report/proving-command.ts';
import { howPredicted } from '../../src/report/witness.ts';
import { raceName } from '../../src/report/wording.ts';
import { usePrinting } from '../printing.ts';
import { Lines, Sentence, visible } from '../text.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { VerdictBadge } from '../verdict.tsx';
import { Command } from './command.tsx';
import { OrderGraph } from './order-graph.tsx';
import { Origins } from './origins.tsx';
import { ResolutionView } from './resolution-view.tsx';
import { SideView } from './side-view.tsx';
import { TwoOrders } from './two-orders.tsx';
import { WitnessWalk } from './witness-walk.tsx';

export function RaceView({ race, data }: { race: Race; data: PageData }) {
  const { report, picture, sources } = data;
  const isOfProcesses = report.engine === 'procs';
  const isPrinting = usePrinting();
  const held = picture?.held?.[race.id]?.toReversed();
  return (
    <article class="race" aria-label={visible(race.id)}>
      <p class="eyebrow">
        <VerdictBadge verdict={race.verdict} /> <b>{visible(race.id)}</b> · {raceName(race.kind)} on{' '}
        {visible(race.object.type)} <code>{visible(race.object.name)}</code>
        {race.occurrences > 1 && <> · seen {race.occurrences} times</>}
        {race.confidence && <> · {race.confidence} confidence</>}
      </p>
      <h2>{visible(race.title)}</h2>
      {race.resolution && <ResolutionView race={race} how={race.resolution} />}
      {isOfProcesses ? (
        <TwoOrders race={race} report={report} />
      ) : (
        <section class="orders">
          {sidesOf(race).map((side) => (
            <SideView
              key={side.index}
              {...{ race, side, sources }}
              held={held?.[side.index]}
              isUnfolded={isPrinting}
            />
          ))}
        </section>
      )}
      {held && <LocksInCommon held={held} />}
      <Facts race={race} report={report} />
      {race.rung !== undefined && <WitnessWalk {...{ race, sources }} isUnfolded={isPrinting} />}
      {picture && <Timeline race={race} picture={picture} engine={report.engine} />}
      <OrderGraph race={race} />
      <Origins race={race} report={report} />
    </article>
  );
}

function LocksInCommon({ held }: { held: readonly (readonly string[])[] }) {
  const [first = [], ...others] = held;
  const common = first.filter((lock) => others.every((locks) => locks.includes(lock)));
  if (common.length > 0) return null;
  const isWithoutLocks = held.every((locks) => locks.length === 0);
  return (
    <p class="remark">
      {isWithoutLocks ? 'Neither holds a lock' : 'No lock is held by both'}: nothing keeps them
      apart.
    </p>
  );
}

function Facts({ race, report }: { race: Race; report: Report }) {
  // Shown beside the order that it came of.
  const isShown = report.engine === 'procs' || race.resolution !== undefined;
  const evidence = isShown ? undefined : race.evidence;
  const proving = provingCommand(report, race);
  return (
    <dl class="race-facts">
      {race.hint !== undefined && (
        <div class="mend">
          <dt>How to mend it</dt>
          <dd>
            {race.hint.split('\n').map((line) => (
              <Sentence key={line} text={line} />
            ))}
          </dd>
        </div>
      )}
      {evidence !== undefined && (
        <Fact name={evidenceName(report.engine, race.verdict)} text={evidence} />
      )}
      {race.rung !== undefined && <Fact name="Predicted" text={howPredicted(race)} />}
      {race.benign !== undefined && <Fact name="May be harmless" text={race.benign} />}
      {race.also !== undefined && <Fact name="End in the same way" text={race.also.join('\n')} />}
      {proving !== undefined && <CommandFact name="Prove it" command={proving} />}
      {race.replay !== undefined && <CommandFact name="See it again" command={race.replay} />}
    </dl>
  );
}

/** Only what one run was predicted from is tried in another one. */
function evidenceName(engine: Report['engine'], verdict: Verdict): string {
  switch (engine) {
    case 'sample':
      return verdict === 'predicted' ? 'What was sampled' : 'Proof';
    case 'watch':
      return 'How it was caught';
    case 'tolerate':
      return 'What was seen';
    case 'procs':
    case 'threads':
      return verdict === 'predicted' ? 'When it was tried' : 'Proof';
  }
}

function CommandFact({ name, command }: { name: string; command: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Command text={command} />
      </dd>
    </div>
  );
}

function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Lines text={text} />
      </dd>
    </div>
  );
}
