/** The buttons above the timeline, and its search. */
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import type { TimelineModel } from './model.ts';

interface ToolsProps {
  readonly model: TimelineModel;
  /** `processes`, `threads` */
  readonly laneWord: string;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly changed: () => void;
}

export function Tools({ model, laneWord, field, changed }: ToolsProps) {
  const [wanted, setWanted] = useState('');
  const act = (change: () => void) => (): void => {
    change();
    changed();
  };
  const find = (text: string): void => {
    setWanted(text);
    model.find(text);
    if (model.found.length > 0) model.next(1);
    changed();
  };
  const count = model.found.length;
  return (
    <div class="tools">
      <button type="button" onClick={act(() => model.zoom(1.6))} title="Zoom in (+)">
        +
      </button>
      <button type="button" onClick={act(() => model.zoom(1 / 1.6))} title="Zoom out (−)">
        −
      </button>
      <button type="button" onClick={act(() => model.showRace())} title="Back to the race (r)">
        the race
      </button>
      <button type="button" onClick={act(() => model.showWhole())} title="The whole recording (0)">
        everything
      </button>
      {model.canFold && (
        <button
          type="button"
          onClick={act(() => model.setShowsAll(!model.showsAll))}
          title="All lanes, or those of the race (a)"
        >
          {model.showsAll
            ? "only the race's lanes"
            : `all ${model.picture.lanes.length} ${laneWord}`}
        </button>
      )}
      {model.hasTimes && (
        <button
          type="button"
          aria-pressed={model.kind === 'time'}
          onClick={act(() => model.setKind(model.kind === 'time' ? 'order' : 'time'))}
          title="By time, or by order (t)"
        >
          by time
        </button>
      )}
      <input
        ref={field}
        type="search"
        placeholder="Find ( f )"
        aria-label="Find in the timeline"
        value={wanted}
        onInput={(event) => find(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') act(() => model.next(event.shiftKey ? -1 : 1))();
        }}
      />
      <span class="matches" aria-live="polite">
        {wanted !== '' && `${count} ${count === 1 ? 'match' : 'matches'}`}
      </span>
    </div>
  );
}
