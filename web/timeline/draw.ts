/**
 * Draws what can be seen of the timeline, and nothing else: a frame takes as long with fifty thousand marks as
 * with five hundred. Where marks would lie upon each other, a tick stands for all of them.
 */
import { firstIndex } from '../../src/base/bisect.ts';
import { LINKS, SHAPES } from '../../src/report/html/picture.ts';
import { visible } from '../text.tsx';
import { drawBars } from './draw-bars.ts';
import { drawRacing } from './draw-racing.ts';
import { drawRuler } from './draw-ruler.ts';
import type { TimelineModel } from './model.ts';
import { drawShape } from './shapes.ts';
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

/** Room for at least a word. */
const LABEL_ROOM = 46;
const CHARACTER = 6.7;
const TICK = 5;

function drawMarks(scene: Scene, row: number): void {
  const { on, model, theme } = scene;
  const { marks, texts } = model.picture;
  const y = yOf(scene, row);
  on.fillStyle = theme.line;
  drawTicks(scene, model.others[row]!, y + TICK, TICK);
  const own = model.own[row]!;
  const { positions, lengths } = model.axis;
  const leftEdge = model.view.left - 10 / model.view.scale;
  const rightEdge = model.view.left + (model.width + 10) / model.view.scale;
  const from = firstIndex(own, (place) => positions[place]! >= leftEdge);
  const until = firstIndex(own, (place) => positions[place]! - lengths[place]! > rightEdge, from);
  on.fillStyle = theme.ink;
  on.strokeStyle = theme.ink;
  on.lineWidth = 1.5;
  let lastX = Number.NEGATIVE_INFINITY;
  for (let i = from; i < until; i++) {
    const place = own[i]!;
    const x = model.x(place);
    if (x - lastX < 1) continue;
    const length = lengths[place]! * model.view.scale;
    if (length > 6) on.fillRect(x - length, y - 1.5, length, 3);
    const next = i + 1 < own.length ? model.x(own[i + 1]!) : model.width;
    const room = next - x;
    if (room < 4 && x - lastX < 6) on.fillRect(x - 0.5, y - TICK, 1, 2 * TICK);
    else drawShape(on, marks.shape[place]!, x, y, 3.5);
    lastX = x;
    if (room < LABEL_ROOM || x < -LABEL_ROOM) continue;
    label(on, visible(texts[marks.text[place]!]!), x + 8, y, room - 14);
  }
}

function label(
  on: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
): void {
  const most = Math.floor(room / CHARACTER);
  on.fillText(text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`, x, y - 0.5);
}

/** Those of folded lanes, as a faint pattern. */
function drawTicks(scene: Scene, places: readonly number[], y: number, height: number): void {
  const { on, model } = scene;
  const { positions } = model.axis;
  const from = firstIndex(places, (place) => positions[place]! >= model.view.left);
  let lastX = Number.NEGATIVE_INFINITY;
  for (let i = from; i < places.length; i++) {
    const x = model.x(places[i]!);
    if (x > model.width) break;
    if (x - lastX < 2) continue;
    on.fillRect(x, y, 1, height);
    lastX = x;
  }
}

const MOST_LINKS = 1500;
const DASHES: Readonly<Record<string, number[]>> = { birth: [], wait: [4, 3], message: [1, 3] };

function drawLinks(scene: Scene, first: number, last: number): void {
  const { on, model, theme } = scene;
  const { links, marks } = model.picture;
  on.strokeStyle = theme.link;
  on.lineWidth = 1;
  let drawn = 0;
  for (let i = 0; i < links.from.length && drawn < MOST_LINKS; i++) {
    const [from, to] = [links.from[i]!, links.to[i]!];
    const [above, below] = [
      model.rows.rowOf[marks.lane[from]!]!,
      model.rows.rowOf[marks.lane[to]!]!,
    ];
    if (above === below || above < 0 || below < 0) continue;
    if (Math.max(above, below) < first || Math.min(above, below) >= last) continue;
    const [x1, x2] = [model.x(from), model.x(to)];
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > model.width) continue;
    const [y1, y2] = [yOf(scene, above), yOf(scene, below)];
    on.setLineDash(DASHES[LINKS[links.kind[i]!]!]!);
    on.beginPath();
    on.moveTo(x1, y1);
    on.bezierCurveTo(x1 + 10, (y1 + y2) / 2, x2 - 10, (y1 + y2) / 2, x2, y2);
    on.stroke();
    drawn++;
  }
  on.setLineDash([]);
}

function drawNames(scene: Scene, first: number, last: number): void {
  const { on, model, theme, gutter, height } = scene;
  on.fillStyle = theme.panel;
  on.fillRect(0, 0, gutter, height);
  on.strokeStyle = theme.line;
  on.beginPath();
  on.moveTo(gutter - 0.5, 0);
  on.lineTo(gutter - 0.5, height);
  on.stroke();
  for (let row = first; row < last; row++) {
    const { lane, depth, folded } = model.rows.rows[row]!;
    const { name, number } = model.picture.lanes[lane]!;
    const x = 6 + Math.min(depth, 6) * 8;
    const sign = folded > 0 ? '▸ ' : model.isFolded(lane) ? '▸ ' : '';
    const more = folded > 0 ? ` +${folded}` : '';
    const side = model.racing.find(({ place }) => model.picture.marks.lane[place] === lane);
    on.fillStyle = side ? theme.sides[side.side]! : theme.ink;
    on.font = `${side ? 'bold ' : ''}11px ${theme.font}`;
    const text = `${sign}${visible(name)} ${number}${more}`;
    label(on, text, x, yOf(scene, row), gutter - x - 4);
  }
  on.font = `11px ${theme.font}`;
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

/** Which shapes there are in a picture, for the legend. */
export const shapesIn = (shapes: readonly number[]): number[] =>
  SHAPES.map((_, number) => number).filter((number) => shapes.includes(number));
