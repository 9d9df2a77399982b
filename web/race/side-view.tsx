/** One side of a race between threads: who, what, where, with which locks, and how it came there. */

import type { Side } from '../../src/report/both-orders.ts';
import { framesOf } from '../../src/report/frames.ts';
import type { Excerpts } from '../../src/report/html/source-excerpts.ts';
import type { Race } from '../../src/report/model.ts';
import { isKnownThread, spacedHex, threadWords } from '../../src/report/wording.ts';
import { Letter } from '../sides.tsx';
import { Code, visible } from '../text.tsx';
import { opWords, Place } from './place.tsx';
import { Source } from './source.tsx';

interface SideViewProps {
  readonly race: Race;
  readonly side: Side;
  readonly sources: Excerpts;
  /** undefined if nobody knows. */
  readonly held: readonly string[] | undefined;
  readonly isUnfolded: boolean;
}

export function SideView({ race, side, sources, held: known, isUnfolded }: SideViewProps) {
  const { access, index } = side;
  const held = known ?? access.locks;
  const frames = framesOf(access);
  const registers = Object.entries(access.registers ?? {});
  return (
    <div class={`card side side-${side.letter}`}>
      <h3>
        <Letter index={index} /> {visible(actorOf(race, side))}{' '}
        <b class="op">{opWords(access.op)}</b> <code>{visible(race.object.name)}</code>
      </h3>
      <p class="where">
        {isSection(race, side) && 'the section begins here: '}
        <Place site={access.site} otherwise={access.what} />
      </p>
      <Source site={access.site} sources={sources} side={index} />
      {held && (
        <p class="held">
          {held.length === 0 ? (
            <>holds no lock</>
          ) : (
            <>
              holds{' '}
              {held.map((lock) => (
                <span key={lock} class="lock">
                  {visible(lock)}
                </span>
              ))}
            </>
          )}
        </p>
      )}
      {frames.length > 1 && (
        <details open={isUnfolded || race.rung === undefined}>
          <summary>Stack</summary>
          <ol class="stack" start={0}>
            {frames.map((frame, number) => (
              <li key={number}>
                <Place site={frame} otherwise="??" />
              </li>
            ))}
          </ol>
        </details>
      )}
      {(access.value !== undefined || registers.length > 0) && (
        <details open={isUnfolded}>
          <summary>Memory and registers</summary>
          <p>
            <Code text={access.what} />
            {access.value !== undefined && (
              <>
                , before: <code>{spacedHex(access.value)}</code>
              </>
            )}
            {access.valueAfter !== undefined && access.valueAfter !== access.value && (
              <>
                , when it was caught: <code>{spacedHex(access.valueAfter)}</code>
              </>
            )}
          </p>
          <dl class="registers">
            {registers.map(([name, value]) => (
              <div key={name}>
                <dt>{visible(name)}</dt>
                <dd>{visible(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

/** What is known of it is where it takes its lock, not which of its instructions it touched the variable with. */
const isSection = ({ resolution }: Race, { index }: Side): boolean =>
  resolution !== undefined && index === 1;

/** A number says nothing without the word; a name does. */
function actorOf(race: Race, side: Side): string {
  const { access } = side;
  if (isSection(race, side)) return 'the section';
  if (!isKnownThread(access)) return 'somebody';
  return threadWords(race, access);
}
