/**
 * The races as a list, with a search and a switch for each verdict. Only the rows that can be seen are there:
 * a thousand races are as quick as ten.
 */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Race, Verdict } from '../src/report/model.ts';
import { visible } from './text.tsx';
import { useVerdicts } from './verdict.tsx';

const ROW = 62;
const BEYOND = 4;

interface RaceListProps {
  readonly races: readonly Race[];
  readonly shown: readonly Race[];
  readonly text: string;
  readonly hidden: ReadonlySet<Verdict>;
  readonly present: readonly Verdict[];
  readonly chosen: string | undefined;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly toggle: (verdict: Verdict) => void;
  readonly onText: (text: string) => void;
  readonly onChoose: (id: string | undefined) => void;
}

export function RaceList(props: RaceListProps) {
  const { races, shown, text, hidden, present, chosen, search, toggle, onText, onChoose } = props;
  const lookOf = useVerdicts();
  return (
    <aside aria-label="Races">
      <input
        ref={search}
        type="search"
        placeholder="Search races ( / )"
        aria-label="Search races"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <div class="filters">
        {present.map((verdict, index) => {
          const { words, sign, severity } = lookOf(verdict);
          return (
            <button
              type="button"
              key={verdict}
              class={`filter verdict-${severity}`}
              aria-pressed={!hidden.has(verdict)}
              title={`Show or hide (${index + 1})`}
              onClick={() => toggle(verdict)}
            >
              <span aria-hidden="true">{sign}</span> {words}{' '}
              {races.filter((race) => race.verdict === verdict).length}
            </button>
          );
        })}
      </div>
      <button
        type="button"
        class="row-all"
        aria-current={chosen === undefined}
        onClick={() => onChoose(undefined)}
      >
        Overview ·{' '}
        {shown.length === races.length
          ? `${races.length} races`
          : `${shown.length} of ${races.length} races`}
      </button>
      <Rows {...{ shown, chosen, onChoose }} />
    </aside>
  );
}

function Rows({ shown, chosen, onChoose }: Pick<RaceListProps, 'shown' | 'chosen' | 'onChoose'>) {
  const lookOf = useVerdicts();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = box.current?.clientHeight ?? 600;
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
  const last = Math.min(shown.length, Math.ceil((top + height) / ROW) + BEYOND);
  useEffect(() => {
    const index = shown.findIndex(({ id }) => id === chosen);
    const { current } = box;
    if (index < 0 || !current) return;
    if (index * ROW < current.scrollTop) current.scrollTop = index * ROW;
    const under = (index + 1) * ROW - current.clientHeight;
    if (under > current.scrollTop) current.scrollTop = under;
  }, [chosen, shown]);
  return (
    <div class="rows" ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div style={{ height: `${shown.length * ROW}px`, position: 'relative' }}>
        {shown.slice(first, last).map((race, index) => {
          const { words, sign, severity } = lookOf(race.verdict);
          return (
            <button
              type="button"
              key={race.id}
              class="row"
              style={{ top: `${(first + index) * ROW}px`, height: `${ROW}px` }}
              aria-current={race.id === chosen}
              onClick={() => onChoose(race.id)}
            >
              <span class={`sign verdict-${severity}`} aria-hidden="true">
                {sign}
              </span>
              <span class="row-text">
                <b>{visible(race.id)}</b> {visible(race.title)}
                <small>
                  {words}
                  {race.occurrences > 1 && ` · seen ${race.occurrences}×`}
                </small>
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
