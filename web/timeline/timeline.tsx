/** The recording as a timeline that can be zoomed, moved, searched and folded. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Picture } from '../../src/report/html/picture.ts';
import type { Race, Report } from '../../src/report/model.ts';
import { plural } from '../../src/report/wording.ts';
import { visible } from '../text.tsx';
import { drawTimeline, RULER, type Scene } from './draw.ts';
import { Legend } from './legend.tsx';
import { MarkText } from './mark-text.tsx';
import { TimelineModel } from './model.ts';
import { readTheme } from './theme.ts';
import { onTimelineKey } from './timeline-keys.ts';
import { useGestures } from './use-gestures.ts';

const MOST_HEIGHT = 460;

interface TimelineProps {
  readonly race: Race;
  readonly picture: Picture;
  readonly engine: Report['engine'];
}

export function Timeline({ race, picture, engine }: TimelineProps) {
  const model = useMemo(() => new TimelineModel(picture, race), [picture, race]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [, setDrawn] = useState(0);
  const [hovered, setHovered] = useState<{ place: number; x: number; y: number }>();
  const [wanted, setWanted] = useState('');
  const isOfThreads = engine === 'threads';
  const lanes = isOfThreads ? 'thread' : 'process';
  const rowHeight = isOfThreads ? 46 : 28;
  const total = RULER + model.rows.rows.length * rowHeight + 6;
  const height = Math.min(total, MOST_HEIGHT);

  const scene = (): Omit<Scene, 'on' | 'theme'> => {
    const gutter = (canvas.current?.clientWidth ?? 800) < 600 ? 92 : 168;
    return { model, gutter, rowHeight, height, top: box.current?.scrollTop ?? 0 };
  };
  const draw = (): void => {
    const { current } = canvas;
    const on = current?.getContext('2d');
    if (!current || !on) return;
    const ratio = devicePixelRatio || 1;
    const width = current.clientWidth;
    if (
      current.width !== Math.round(width * ratio) ||
      current.height !== Math.round(height * ratio)
    ) {
      current.width = Math.round(width * ratio);
      current.height = Math.round(height * ratio);
    }
    on.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawTimeline({ ...scene(), on, theme: readTheme(current) });
  };
  const frame = useRef(0);
  const drawSoon = (): void => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(draw);
  };
  /** After something that the rest of the page shows, too. */
  const changed = (): void => setDrawn((count) => count + 1);

  useEffect(() => {
    const measure = (): void => {
      const isFirst = canvas.current!.width === 300;
      model.width = Math.max(120, canvas.current!.clientWidth - scene().gutter);
      if (isFirst) model.showRace();
      draw();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(canvas.current!);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', drawSoon);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', drawSoon);
    };
  }, [model]);
  useEffect(draw);
  useGestures(canvas, model, scene, { drawSoon, changed, setHovered });

  const act = (change: () => void) => (): void => {
    change();
    changed();
  };
  return (
    <section class="timeline">
      <h3>The whole run</h3>
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
        <button
          type="button"
          onClick={act(() => model.showWhole())}
          title="The whole recording (0)"
        >
          everything
        </button>
        {model.canFold && (
          <button
            type="button"
            aria-pressed={model.showsAll}
            onClick={act(() => model.setShowsAll(!model.showsAll))}
            title="All lanes, or those of the race (a)"
          >
            {model.showsAll
              ? `only the race's lanes`
              : `all ${plural(picture.lanes.length, lanes).replace(/processs$/, 'processes')}`}
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
          onInput={(event) => {
            setWanted(event.currentTarget.value);
            model.find(event.currentTarget.value);
            if (model.found.length > 0) model.next(1);
            changed();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            model.next(event.shiftKey ? -1 : 1);
            changed();
          }}
        />
        <span class="matches" aria-live="polite">
          {wanted !== '' && plural(model.found.length, 'match').replace('matchs', 'matches')}
        </span>
      </div>
      <section
        class="timeline-box"
        ref={box}
        aria-label={`Timeline of ${picture.lanes.length} lanes; ? has its keys`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has keys of its own.
        tabIndex={0}
        onScroll={drawSoon}
        onKeyDown={(event) => {
          if (onTimelineKey(event, model, () => field.current?.focus())) changed();
        }}
      >
        <canvas ref={canvas} style={{ height: `${height}px`, marginBottom: `${-height}px` }} />
        <div style={{ height: `${total}px` }} />
      </section>
      {hovered && (
        <div class="tip" style={{ left: `${hovered.x}px`, top: `${hovered.y}px` }}>
          <MarkText {...{ model }} place={hovered.place} />
        </div>
      )}
      <p class="selected" aria-live="polite">
        {model.selected === undefined ? (
          <span class="hint">
            Click a mark to read it. Click the timeline, then the wheel zooms.
          </span>
        ) : (
          <MarkText {...{ model }} place={model.selected} />
        )}
      </p>
      <Legend picture={picture} isOfThreads={isOfThreads} />
      {picture.leftOut > 0 && (
        <p class="hint">
          Too long to be drawn as a whole: {visible(picture.leftOut.toLocaleString('en'))} steps far
          from any race are left out.
        </p>
      )}
    </section>
  );
}
