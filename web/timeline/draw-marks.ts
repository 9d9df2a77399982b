/** The marks of a row, with as much of their texts as there is room for. */
import { firstIndex } from '../../src/base/bisect.ts';
import { visible } from '../text.tsx';
import { type Scene, yOf } from './draw.ts';
import { drawLabel } from './draw-label.ts';
import { drawShape } from './shapes.ts';

/** Room for at least a word. */
const LABEL_ROOM = 44;
const TICK = 5;

export function drawMarks(scene: Scene, row: number): void {
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
  const isRacing = (place: number | undefined): boolean =>
    model.racing.some((one) => one.place === place);
  let lastX = Number.NEGATIVE_INFINITY;
  for (let i = from; i < until; i++) {
    const place = own[i]!;
    const x = model.x(place);
    if (x - lastX < 1) continue;
    drawWait(scene, x, y, lengths[place]! * model.view.scale);
    const next = own[i + 1];
    const room = next === undefined ? model.width - x : model.x(next) - x;
    if (room < 4 && x - lastX < 6) on.fillRect(x - 0.5, y - TICK, 1, 2 * TICK);
    else drawShape(on, marks.shape[place]!, x, y, 3.5);
    lastX = x;
    if (room < LABEL_ROOM || isRacing(place)) continue;
    const free = freeAfter(scene, own, i) - x - (isRacing(next) ? 20 : 14);
    if (free > LABEL_ROOM) drawLabel(on, visible(texts[marks.text[place]!]!), x + 8, y, free);
  }
}

/** A call that took long: a line to its mark, from where it began. */
function drawWait({ on, theme }: Scene, x: number, y: number, length: number): void {
  if (length <= 6) return;
  on.fillStyle = theme.link;
  on.fillRect(x - length, y - 1, length, 2);
  on.fillStyle = theme.ink;
}

/** Signals arrive while a call waits, whose line is drawn over them. */
const ALSO_LOOKED_AT = 4;

/** Up to where nothing is drawn behind a mark. */
function freeAfter({ model }: Scene, own: readonly number[], index: number): number {
  const following = own.slice(index + 1, index + 1 + ALSO_LOOKED_AT);
  const begins = following.map((place) => {
    const length = model.axis.lengths[place]! * model.view.scale;
    return model.x(place) - (length > 6 ? length : 0);
  });
  return Math.min(model.width, ...begins);
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
