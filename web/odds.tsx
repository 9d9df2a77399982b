/** How likely a race would have been found by now, if there is one: finding nothing means little without it. */
import type { Report } from '../src/report/model.ts';

/** As `sample` leaves them in its figures. */
interface Odds {
  readonly oneIn: number;
  readonly bothSidesSeen: number;
  readonly caught: number;
  readonly secondsToGo: number;
}

export function Odds({ report }: { report: Report }) {
  const rows = oddsIn(report);
  if (rows.length === 0) return null;
  return (
    <section class="odds">
      <h2>The odds</h2>
      <p class="hint">
        Little is seen of each second. A race between two threads, each side of which makes up such
        a share of all accesses, would by now have been found so likely:
      </p>
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              <th>each side is</th>
              <th>both sides were seen</th>
              <th>it was found</th>
              <th class="number">for 95%, another</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ oneIn, bothSidesSeen, caught, secondsToGo }) => (
              <tr key={oneIn}>
                <td>1 in {oneIn.toLocaleString('en')} accesses</td>
                <td>
                  <Chance of={bothSidesSeen} />
                </td>
                <td>
                  <Chance of={caught} />
                </td>
                <td class="number">
                  {secondsToGo === 0 ? '–' : `${secondsToGo.toLocaleString('en')} s`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">Seconds are processor time of the program, sampled as it was.</p>
    </section>
  );
}

function Chance({ of: chance }: { of: number }) {
  const percent = chance > 0 && chance < 0.01 ? '<1%' : `${Math.round(chance * 100)}%`;
  return (
    <span class="chance">
      <meter value={chance} min={0} max={1} aria-hidden="true" /> {percent}
    </span>
  );
}

/** Figures are the engine's own business: what does not look like odds is none. */
function oddsIn({ stats }: Report): Odds[] {
  const { odds } = stats;
  return Array.isArray(odds) ? odds.filter(isOdds) : [];
}

const isOdds = (some: unknown): some is Odds =>
  typeof some === 'object' &&
  some !== null &&
  FIELDS.every((name) => typeof (some as Record<string, unknown>)[name] === 'number');

const FIELDS = ['oneIn', 'bothSidesSeen', 'caught', 'secondsToGo'];
