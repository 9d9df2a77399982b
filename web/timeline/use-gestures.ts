/** Wheel and pointer over the timeline: zoom, move, point at marks, choose them, fold lanes. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { markAt, RULER, type Scene } from './draw.ts';
import type { TimelineModel } from './model.ts';

export interface Gestures {
  readonly drawSoon: () => void;
  readonly changed: () => void;
  readonly setHovered: (at: { place: number; x: number; y: number } | undefined) => void;
}

/** Less is a click by an unsteady hand. */
const DRAGGED = 4;

export function useGestures(
  canvas: RefObject<HTMLCanvasElement | null>,
  model: TimelineModel,
  scene: () => Omit<Scene, 'on' | 'theme'>,
  { drawSoon, changed, setHovered }: Gestures,
): void {
  useLayoutEffect(() => {
    const element = canvas.current!;
    let pressed: { x: number; last: number } | undefined;

    const onWheel = (event: WheelEvent): void => {
      const isOurs =
        event.ctrlKey || event.metaKey || element.parentElement === document.activeElement;
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!isOurs && !isSideways) return;
      event.preventDefault();
      if (isSideways) model.move(event.deltaX || event.deltaY);
      else model.zoom(Math.exp(-event.deltaY * 0.002), event.offsetX - scene().gutter);
      drawSoon();
    };
    const onDown = (event: PointerEvent): void => {
      pressed = { x: event.offsetX, last: event.offsetX };
      element.setPointerCapture(event.pointerId);
    };
    const onMove = (event: PointerEvent): void => {
      if (pressed) {
        model.move(pressed.last - event.offsetX);
        pressed.last = event.offsetX;
        setHovered(undefined);
        return drawSoon();
      }
      const place = markAt(scene(), event.offsetX, event.offsetY);
      element.style.cursor = place === undefined ? 'grab' : 'pointer';
      const x = Math.min(event.offsetX + 14, Math.max(0, element.clientWidth - 260));
      setHovered(
        place === undefined ? undefined : { place, x, y: element.offsetTop + event.offsetY + 18 },
      );
    };
    const onUp = (event: PointerEvent): void => {
      const isClick = pressed !== undefined && Math.abs(event.offsetX - pressed.x) < DRAGGED;
      pressed = undefined;
      if (!isClick) return;
      const { gutter, rowHeight, top } = scene();
      const row = model.rows.rows[Math.floor((event.offsetY - RULER + top) / rowHeight)];
      if (event.offsetX < gutter && row) model.toggleFolded(row.lane);
      else model.selected = markAt(scene(), event.offsetX, event.offsetY);
      changed();
    };
    const onLeave = (): void => setHovered(undefined);
    element.addEventListener('wheel', onWheel, { passive: false });
    element.addEventListener('pointerdown', onDown);
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerup', onUp);
    element.addEventListener('pointerleave', onLeave);
    return () => {
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('pointerdown', onDown);
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerup', onUp);
      element.removeEventListener('pointerleave', onLeave);
    };
  }, [model]);
}
