/**
 * Draws what can be seen of the timeline, and nothing else: a frame takes as long with fifty thousand marks as
 * with five hundred. Where marks would lie upon each other, a tick stands for all of them.
 */
import { firstIndex } from '../../src/base/bisect.ts';
import { drawBars } from './draw-bars.ts';
import { drawLinks } from './draw-links.ts';
import { drawMarks } from './draw-marks.ts';
import { drawNames } from './draw-names.ts';
import { drawRacing } from './draw-racing.ts';
import { drawRuler } from './draw-ruler.ts';
import type { TimelineModel } from './model.ts';
import type { Theme } from './theme.ts';

export const RULER = 22;

export interface Scene {
  readonly on: CanvasRenderingContext2D;
  readonly model: TimelineModel;
  readonly theme: Theme;
  /** Of the names at the left. */
  readonly gutter: number;
  readonly rowHeight: number;
  readonly height: number;
  /** How far the rows are scrolled. */
  readonly top: number;
}

/** The middle of a row. */
export const yOf = ({ top, rowHeight }: Pick<Scene, 'top' | 'rowHeight'>, row: number): number =>
  RULER + row * rowHeight + rowHeight / 2 - top;

export function drawTimeline(scene: Scene): void {
  const { on, model, theme, gutter, height, rowHeight, top } = scene;
  on.clearRect(0, 0, gutter + model.width, height);
  on.font = `11px ${theme.font}`;
  on.textBaseline = 'middle';
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(model.rows.rows.length, Math.ceil((top + height) / rowHeight));
  on.save();
  on.beginPath();
  on.rect(gutter, RULER, model.width, height - RULER);
  on.clip();
  on.translate(gutter, 0);
  for (let row = first; row < last; row++) drawLine(scene, row);
  drawBars(scene, first, last);
  drawLinks(scene, first, last);
  for (let row = first; row < last; row++) drawMarks(scene, row);
  drawRacing(scene);
  on.restore();
  drawNames(scene, first, last);
  drawRuler(scene);
}

function drawLine(scene: Scene, row: number): void {
  const { on, model, theme } = scene;
  const own = model.own[row]!;
  const y = yOf(scene, row);
  on.strokeStyle = theme.line;
  on.lineWidth = 1;
  if (own.length === 0) return;
  on.beginPath();
  on.moveTo(Math.max(0, model.x(own[0]!)), y);
  on.lineTo(Math.min(model.width, model.x(own.at(-1)!)), y);
  on.stroke();
}

/** The mark under the pointer, if one is near. */
export function markAt(
  scene: Omit<Scene, 'on' | 'theme'>,
  x: number,
  y: number,
): number | undefined {
  const { model, gutter, rowHeight, top } = scene;
  const row = Math.floor((y - RULER + top) / rowHeight);
  const own = model.own[row];
  if (!own || x < gutter || y < RULER) return undefined;
  const { positions } = model.axis;
  const wanted = model.view.left + (x - gutter) / model.view.scale;
  const after = firstIndex(own, (place) => positions[place]! >= wanted);
  const near = [own[after - 1], own[after]].filter((place) => place !== undefined);
  const distance = (place: number): number => Math.abs(model.x(place) + gutter - x);
  return near.filter((place) => distance(place) < 12).sort((a, b) => distance(a) - distance(b))[0];
}
