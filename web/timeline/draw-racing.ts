/** The racing marks, with their letters, and the line between them that says that nothing orders the two. */
import { LETTERS } from '../../src/report/both-orders.ts';
import { visible } from '../text.tsx';
import { type Scene, yOf } from './draw.ts';

const SIZE = 10;
const MOST_CHARACTERS = 44;

export function drawRacing(scene: Scene): void {
  const { on, model, theme } = scene;
  const { marks } = model.picture;
  const points = model.racing.flatMap(({ place, side }) => {
    const row = model.rows.rowOf[marks.lane[place]!]!;
    return row < 0 ? [] : [{ place, x: model.x(place), y: yOf(scene, row), side }];
  });
  for (const place of model.found) drawRing(scene, place, theme.found, 7);
  if (model.selected !== undefined) drawRing(scene, model.selected, theme.ink, 9);
  on.strokeStyle = theme.sides[0]!;
  on.lineWidth = 2;
  on.setLineDash([6, 5]);
  on.beginPath();
  for (const [i, { x, y }] of points.entries())
    if (i === 0) on.moveTo(x, y);
    else on.lineTo(x, y);
  on.stroke();
  on.setLineDash([]);
  for (const { place, x, y, side } of points) drawText(scene, place, x, y, side);
  for (const { x, y, side } of points) {
    on.fillStyle = theme.sides[side]!;
    on.beginPath();
    if (side === 1) on.rect(x - SIZE + 1, y - SIZE + 1, 2 * SIZE - 2, 2 * SIZE - 2);
    else if (side === 2) diamond(on, x, y);
    else on.arc(x, y, SIZE, 0, 7);
    on.fill();
    on.fillStyle = theme.onSide;
    on.font = `bold 12px ${theme.font}`;
    on.textAlign = 'center';
    on.fillText(LETTERS[side] ?? '?', x, y + 0.5);
    on.textAlign = 'start';
  }
  on.font = `11px ${theme.font}`;
}

/** What it does, on a label that covers what is behind it. */
function drawText(scene: Scene, place: number, x: number, y: number, side: number): void {
  const { on, model, theme } = scene;
  const { texts, marks } = model.picture;
  const whole = visible(texts[marks.text[place]!]!);
  const text = whole.length > MOST_CHARACTERS ? `${whole.slice(0, MOST_CHARACTERS)}…` : whole;
  on.font = `bold 11px ${theme.font}`;
  const width = on.measureText(text).width + 12;
  const fits = x + SIZE + 4 + width < model.width;
  const left = fits ? x + SIZE + 4 : x - SIZE - 4 - width;
  on.fillStyle = theme.panel;
  on.fillRect(left, y - 9, width, 18);
  on.strokeStyle = theme.sides[side]!;
  on.lineWidth = 1;
  on.strokeRect(left + 0.5, y - 8.5, width - 1, 17);
  on.fillStyle = theme.ink;
  on.fillText(text, left + 6, y + 0.5);
}

function diamond(on: CanvasRenderingContext2D, x: number, y: number): void {
  on.moveTo(x, y - SIZE - 2);
  on.lineTo(x + SIZE + 2, y);
  on.lineTo(x, y + SIZE + 2);
  on.lineTo(x - SIZE - 2, y);
  on.closePath();
}

function drawRing(scene: Scene, place: number, color: string, size: number): void {
  const { on, model } = scene;
  const x = model.x(place);
  const row = model.rows.rowOf[model.picture.marks.lane[place]!]!;
  if (x < -size || x > model.width + size || row < 0) return;
  on.strokeStyle = color;
  on.lineWidth = 2;
  on.beginPath();
  on.arc(x, yOf(scene, row), size, 0, 7);
  on.stroke();
}
