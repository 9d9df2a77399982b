/**
 * Every place in the code that takes part in a race, most often seen first: what it does there, and in which races.
 * A place that is in many of them is where to look first.
 */
import type { Access, Race } from '../src/report/model.ts';
import { opWords, Place, placeText } from './race/place.tsx';
import { visible } from './text.tsx';

interface SiteRow {
  readonly access: Access;
  readonly ops: Set<string>;
  readonly races: Race[];
  seen: number;
}

interface SitesProps {
  readonly races: readonly Race[];
  readonly onChoose: (id: string) => void;
}

export function Sites({ races, onChoose }: SitesProps) {
  const rows = siteRows(races);
  if (rows.length === 0) return null;
  return (
    <section class="sites">
      <h2>Places in the code</h2>
      <div class="scrolls">
        <table class="stacks">
          <thead>
            <tr>
              <th>place</th>
              <th>does</th>
              <th>to</th>
              <th>races</th>
              <th class="number">seen</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ access, ops, races: involved, seen }, at) => (
              <tr key={at}>
                <td class="whole-line">
                  <Place site={access.site} otherwise={`${access.process}: ${access.what}`} />
                </td>
                <td>{[...ops].map(opWords).join(', ')}</td>
                <td>
                  {[...new Set(involved.map(({ object }) => object.name))].map((name) => (
                    <div key={name}>
                      <code>{visible(name)}</code>
                    </div>
                  ))}
                </td>
                <td>
                  {involved.map(({ id }) => (
                    <button key={id} type="button" class="link" onClick={() => onChoose(id)}>
                      {visible(id)}
                    </button>
                  ))}
                </td>
                <td class="number">{seen}×</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function siteRows(races: readonly Race[]): SiteRow[] {
  const rows = new Map<string, SiteRow>();
  for (const race of races) {
    for (const access of race.accesses) {
      const { file, line, module, address } = access.site;
      const place = placeText(access.site);
      if (place === '') continue;
      const key = `${place}\n${file ?? module}\n${line ?? address}`;
      const row = rows.get(key) ?? { access, ops: new Set(), races: [], seen: 0 };
      row.ops.add(access.op);
      if (!row.races.includes(race)) {
        row.races.push(race);
        row.seen += race.occurrences;
      }
      rows.set(key, row);
    }
  }
  return [...rows.values()].sort((a, b) => b.seen - a.seen);
}
