/** How a critical section was disturbed, and what became of the variable: what happened beside what it counts as. */
import { type Side, sidesOf } from '../../src/report/both-orders.ts';
import type { Race, Resolution } from '../../src/report/model.ts';
import { isKnownThread, threadName } from '../../src/report/wording.ts';
import { Letter } from '../sides.tsx';
import { visible } from '../text.tsx';

interface Turn {
  readonly side: Side;
  readonly who: string;
  readonly does: string;
  readonly value: string;
}

export function ResolutionView({ race, how }: { race: Race; how: Resolution }) {
  const [other, section] = sidesOf(race);
  if (!other || !section) return null;
  const own = how.lock === undefined ? 'the section' : `the section under ${how.lock}`;
  const finds = { side: section, who: own, does: 'finds', value: how.found };
  const isOnlyRead = how.section === how.found;
  const ends = { ...finds, does: isOnlyRead ? 'goes by' : 'makes it', value: how.section };
  const someone = isKnownThread(other.access) ? `thread ${threadName(other.access)}` : 'somebody';
  const changes = { side: other, who: someone, does: 'makes it', value: how.others };
  const isTolerated = race.verdict === 'tolerated';
  // Of the other classes there is one, which was not to be looked for, or does not fit to that of another variable.
  const hasOrder = how.class !== 'IVc';
  const counted = how.kept === 'section' ? [changes, ends] : [ends, changes];
  return (
    <section class="orders resolution" aria-label="What happened, and what became of it">
      <div class="card">
        <h3>What happened</h3>
        <Turns turns={[finds, changes, ends]} />
      </div>
      <div class={`card ${isTolerated ? '' : 'card-bad'}`}>
        <h3>
          <span class={`verdict verdict-${isTolerated ? 'fine' : 'bad'}`} aria-hidden="true">
            {isTolerated ? '✔' : '✖'}
          </span>{' '}
          {isTolerated ? 'What it counts as' : 'What became of it'}
        </h3>
        {isTolerated && <Turns turns={counted} />}
        <div class="outcome">
          <p>
            Memory has <code>{visible(how[how.kept])}</code>, what {keptBy(how)} made it
            {isTolerated || hasOrder ? '.' : '; no order of the two leads to that.'}
          </p>
          <p class="hint">
            class {visible(how.class)}:{' '}
            {isTolerated ? asIf(how) : hasOrder ? 'nothing was resolved' : 'cannot be tolerated'}
          </p>
        </div>
      </div>
    </section>
  );
}

const keptBy = ({ kept }: Resolution): string => (kept === 'section' ? 'the section' : 'the other');

const asIf = ({ kept }: Resolution): string =>
  `as if the section had come ${kept === 'section' ? 'last' : 'first'}`;

function Turns({ turns }: { turns: readonly Turn[] }) {
  return (
    <ol class="steps">
      {turns.map(({ side, who, does, value }, at) => (
        <li key={at}>
          <Letter index={side.index} />
          <span>
            <b>{visible(who)}</b> {does} <code>{visible(value)}</code>
          </span>
        </li>
      ))}
    </ol>
  );
}
