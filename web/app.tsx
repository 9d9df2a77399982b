/** The whole page: what it is about, the list of races, and the one that is looked at. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageData } from '../src/report/html/page-data.ts';
import type { Verdict } from '../src/report/model.ts';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { isPlain, isTyping } from './keys.ts';
import { matchingRaces } from './matching.ts';
import { Overview } from './overview.tsx';
import { usePrinting } from './printing.ts';
import { RaceView } from './race/race-view.tsx';
import { RaceList } from './race-list.tsx';
import { RunFacts } from './run-facts.tsx';
import { EngineContext, VERDICTS } from './verdict.tsx';

/** More on paper would be a book; the overview has them all. */
const MOST_PRINTED = 40;

export function App({ data }: { data: PageData }) {
  const { races, engine } = data.report;
  const [text, setText] = useState('');
  const [hidden, setHidden] = useState<ReadonlySet<Verdict>>(new Set());
  const startsWithOverview = races.length > 1 && (engine === 'watch' || engine === 'sample');
  const [chosen, choose] = useState(startsWithOverview ? undefined : races[0]?.id);
  const [helps, setHelps] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const isPrinting = usePrinting();
  const shown = useMemo(() => matchingRaces(races, { text, hidden }), [races, text, hidden]);
  const race = shown.find(({ id }) => id === chosen);
  const present = VERDICTS.filter((verdict) => races.some((one) => one.verdict === verdict));
  const toggle = (verdict: Verdict): void => {
    setHidden((old) =>
      old.has(verdict)
        ? new Set([...old].filter((v) => v !== verdict))
        : new Set([...old, verdict]),
    );
  };
  const move = (by: number): void => {
    const index = shown.findIndex(({ id }) => id === chosen);
    const next = shown[index < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, index + by))];
    if (next) choose(next.id);
  };

  // Not later: keys may come as soon as the page is seen.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') {
        setHelps(false);
        if (isTyping(event)) (event.target as HTMLElement).blur();
        return;
      }
      if (isTyping(event) || !isPlain(event) || event.defaultPrevented) return;
      const verdict = present[Number(event.key) - 1];
      if (event.key === 'j') move(1);
      else if (event.key === 'k') move(-1);
      else if (event.key === 'o') choose((old) => (old === undefined ? shown[0]?.id : undefined));
      else if (event.key === '?') setHelps((old) => !old);
      else if (event.key === '/') search.current?.focus();
      else if (verdict) toggle(verdict);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  return (
    <EngineContext.Provider value={engine}>
      <Header data={data} onHelp={() => setHelps(true)} />
      <div class={races.length > 1 ? 'columns' : 'columns alone'}>
        {races.length > 1 && (
          <RaceList
            {...{ races, shown, text, hidden, present, toggle, search }}
            chosen={chosen}
            onText={setText}
            onChoose={choose}
          />
        )}
        <main id="race">
          {isPrinting && races.length > 1 && <Overview races={shown} onChoose={choose} />}
          {isPrinting ? (
            shown
              .slice(0, MOST_PRINTED)
              .map((one) => <RaceView key={one.id} race={one} data={data} />)
          ) : race ? (
            <RaceView key={race.id} race={race} data={data} />
          ) : (
            <Overview races={shown} onChoose={choose} total={races.length} />
          )}
          {(isPrinting || race === undefined || races.length === 1) && (
            <RunFacts report={data.report} races={shown} onChoose={choose} />
          )}
        </main>
      </div>
      {helps && <Help onClose={() => setHelps(false)} />}
    </EngineContext.Provider>
  );
}
