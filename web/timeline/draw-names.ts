/** The names of the lanes, at the left, those of the race in the colours of their sides. */
import { visible } from '../text.tsx';
import { type Scene, yOf } from './draw.ts';
import { drawLabel } from './draw-label.ts';

export function drawNames(scene: Scene, first: number, last: number): void {
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
    drawLabel(on, text, x, yOf(scene, row), gutter - x - 4);
  }
  on.font = `11px ${theme.font}`;
}
