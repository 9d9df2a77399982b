/** All races in one table: what, and both places. */

import { sidesOf } from '../src/report/both-orders.ts';
import type { Race } from '../src/report/model.ts';
import { isKnownPlace, opWords, Place } from './race/place.tsx';
import { Letter } from './sides.tsx';
import { visible } from './text.tsx';
import { VerdictBadge } from './verdict.tsx';

interface OverviewProps {
  readonly races: readonly Race[];
  readonly onChoose: (id: string) => void;
  readonly total?: number;
}

export function Overview({ races, onChoose, total = races.length }: OverviewProps) {
  if (total === 0) return <p class="empty">Nothing was found that two could do in either order.</p>;
  if (races.length === 0)
    return <p class="empty">No race is like that; Esc, and empty the search.</p>;
  return (
    <section class="overview">
      <h2>All races</h2>
      <div class="scrolls">
        <table class="stacks">
          <thead>
            <tr>
              <th>race</th>
              <th>verdict</th>
              <th>what they fight over</th>
              <th>both sides</th>
              <th class="number">seen</th>
            </tr>
          </thead>
          <tbody>
            {races.map((race) => (
              <tr key={race.id}>
                <td>
                  <button type="button" class="link" onClick={() => onChoose(race.id)}>
                    {visible(race.id)}
                  </button>
                </td>
                <td>
                  <VerdictBadge verdict={race.verdict} />
                  {race.confidence && <small> {race.confidence} confidence</small>}
                </td>
                <td class="whole-line">
                  <code>{visible(race.object.name)}</code>
                </td>
                <td class="whole-line">
                  {sidesOf(race).map(({ index, access }) => (
                    <div key={index} class="site">
                      <Letter index={index} />{' '}
                      {isKnownPlace(access.site) && `${opWords(access.op)} `}
                      <Place site={access.site} otherwise={`${access.process}: ${access.what}`} />
                    </div>
                  ))}
                </td>
                <td class="number">{race.occurrences}×</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
