/** The recording as a timeline that can be zoomed, moved, searched and folded. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Picture } from '../../src/report/html/picture.ts';
import type { Race, Report } from '../../src/report/model.ts';
import { visible } from '../text.tsx';
import { drawTimeline, RULER, type Scene } from './draw.ts';
import { Legend } from './legend.tsx';
import { MarkText } from './mark-text.tsx';
import { TimelineModel } from './model.ts';
import { readTheme } from './theme.ts';
import { onTimelineKey } from './timeline-keys.ts';
import { Tools } from './tools.tsx';
import { useGestures } from './use-gestures.ts';

const MOST_HEIGHT = 460;

/** If it is not in sight. */
function scrollToRow(box: HTMLElement, row: number, rowHeight: number): void {
  const top = row * rowHeight;
  const isSeen =
    top >= box.scrollTop && top + RULER + rowHeight <= box.scrollTop + box.clientHeight;
  if (!isSeen) box.scrollTop = top - box.clientHeight / 3;
}

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
  const isOfThreads = engine === 'threads';
  const laneWord = isOfThreads ? 'threads' : 'processes';
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

  useLayoutEffect(() => {
    const element = canvas.current!;
    let known = 0;
    const measure = (): void => {
      const room = element.clientWidth - scene().gutter;
      // It is not there any more, or it is as wide as it was.
      if (room <= 0 || room === known) return;
      const isFirst = known === 0;
      known = room;
      model.width = room;
      if (isFirst) model.showRace();
      draw();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', drawSoon);
    // Paper has colours of its own, and the browser takes its picture as soon as the event is over.
    const paper = matchMedia('print');
    paper.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', drawSoon);
      paper.removeEventListener('change', draw);
    };
  }, [model]);
  useLayoutEffect(() => {
    const { sought } = model;
    model.sought = undefined;
    if (sought !== undefined) scrollToRow(box.current!, model.rowOf(sought), rowHeight);
    draw();
  });
  useGestures(canvas, model, scene, { drawSoon, changed, setHovered });

  return (
    <section class="timeline">
      <h3>The whole run</h3>
      <Tools {...{ model, laneWord, field, changed }} />
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
