/** The way to a race, step by step: a lane for each thread, time from top to bottom, the locks held as bars. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Excerpts } from '../../src/report/html/source-excerpts.ts';
import type { Race } from '../../src/report/model.ts';
import { plural } from '../../src/report/wording.ts';
import { Letter } from '../sides.tsx';
import { visible } from '../text.tsx';
import { baseName } from './place.tsx';
import { Source } from './source.tsx';
import { type Walk, walkOf } from './witness.ts';

interface WitnessWalkProps {
  readonly race: Race;
  readonly sources: Excerpts;
  readonly isUnfolded: boolean;
}

export function WitnessWalk({ race, sources, isUnfolded }: WitnessWalkProps) {
  const walk = useMemo(() => walkOf(race), [race]);
  const last = walk.steps.length - 1;
  const firstRacing = walk.steps.findIndex(({ side }) => side !== undefined);
  const [at, setAt] = useState(firstRacing);
  const box = useRef<HTMLOListElement>(null);
  const go = (to: number): void => setAt(Math.max(0, Math.min(last, to)));
  // Both accesses are one moment.
  const isCurrent = (place: number): boolean =>
    at >= firstRacing ? place >= firstRacing : place === at;
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by !== undefined)
      go(
        by > 0 && at >= firstRacing ? last : at > firstRacing && by < 0 ? firstRacing - 1 : at + by,
      );
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(firstRacing);
    else return;
    event.preventDefault();
  };
  useLayoutEffect(() => {
    const rows = box.current?.querySelectorAll<HTMLElement>('[aria-current="step"]') ?? [];
    for (const row of rows) bringIntoSight(box.current!, row);
  }, [at]);
  const shown = walk.steps.filter((_, place) => isCurrent(place));
  return (
    <section class="walk">
      <h3>How the threads get there</h3>
      <p class="hint">
        An order of steps after which both threads stand before their accesses at the same moment.
        {race.earlierSteps !== undefined &&
          ` Before these, ${plural(race.earlierSteps, 'step')} as recorded.`}
      </p>
      <div class="walk-buttons">
        <button type="button" onClick={() => go(Math.min(at, firstRacing) - 1)} disabled={at === 0}>
          ◀ back
        </button>
        <span aria-live="polite">
          {at >= firstRacing ? 'the race' : `step ${at + 1} of ${firstRacing}`}
        </span>
        <button type="button" onClick={() => go(at + 1)} disabled={at >= firstRacing}>
          next ▶
        </button>
      </div>
      <div class="walk-columns">
        <ol
          ref={box}
          class="walk-steps"
          style={{ '--lanes': walk.lanes.length }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is walked through with the arrow keys.
          tabIndex={0}
          onKeyDown={onKey}
          aria-label="Steps, arrow keys walk"
        >
          <li class="walk-head" aria-hidden="true">
            {walk.lanes.map((name) => (
              <span key={name}>{visible(name)}</span>
            ))}
          </li>
          {walk.steps.map(({ lane, what, site, side }, place) => (
            <li
              key={place}
              class={`${place > at && !isCurrent(place) ? 'to-come' : ''} ${side === undefined ? '' : 'racing'}`}
              aria-current={isCurrent(place) ? 'step' : undefined}
              onClick={() => go(place)}
              onKeyDown={() => {}}
            >
              {walk.lanes.map((name, column) => (
                <span key={name} class="walk-cell">
                  <Bars {...{ walk, column, place }} />
                  {column === lane && (
                    <span class="walk-step">
                      {side === undefined ? <i aria-hidden="true">●</i> : <Letter index={side} />}{' '}
                      <b>{visible(what)}</b>
                      {site?.file !== undefined && (
                        <small>
                          {visible(baseName(site.file))}:{site.line}
                        </small>
                      )}
                    </span>
                  )}
                </span>
              ))}
            </li>
          ))}
        </ol>
        {!isUnfolded && (
          <div class="walk-source">
            {shown.map(({ site, side, lane, what }) => (
              <div key={lane + what}>
                {site && (
                  <Source {...{ site, sources }} around={3} {...(side !== undefined && { side })} />
                )}
              </div>
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

/** Without moving the page. */
function bringIntoSight(box: HTMLElement, row: HTMLElement): void {
  const head = row.parentElement!.firstElementChild!.clientHeight;
  const [top, bottom] = [row.offsetTop - head, row.offsetTop + row.clientHeight];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

function Bars({ walk, column, place }: { walk: Walk; column: number; place: number }) {
  const here = walk.held.filter(
    ({ lane, from, to }) => lane === column && from <= place && place <= to,
  );
  return (
    <>
      {here.map(({ lock, from, to, level }) => (
        <span
          key={lock + from}
          class={`bar ${place === from ? 'bar-first' : ''} ${place === to ? 'bar-last' : ''}`}
          style={{ right: `${level * 14 + 2}px` }}
          title={`holds ${visible(lock)}`}
        />
      ))}
    </>
  );
}
