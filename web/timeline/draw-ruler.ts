/** The ruler above the lanes: times, or just that it goes from left to right. */
import { timeText } from './axis.ts';
import { RULER, type Scene } from './draw.ts';

const APART = 90;

export function drawRuler({ on, model, theme, gutter }: Scene): void {
  const { view, axis, width } = model;
  on.fillStyle = theme.panel;
  on.fillRect(0, 0, gutter + width, RULER);
  on.fillStyle = theme.muted;
  on.strokeStyle = theme.line;
  on.lineWidth = 1;
  on.beginPath();
  on.moveTo(0, RULER - 0.5);
  on.lineTo(gutter + width, RULER - 0.5);
  on.stroke();
  if (axis.kind === 'order') {
    on.fillText('in the order in which it happened →', gutter + 6, RULER / 2);
    return;
  }
  const step = roundStep(APART / view.scale);
  const first = Math.max(0, Math.ceil(view.left / step));
  for (let i = first; i * step < view.left + width / view.scale; i++) {
    const x = gutter + (i * step - view.left) * view.scale;
    on.fillRect(x, RULER - 6, 1, 6);
    on.fillText(timeText(i * step), x + 4, RULER / 2);
  }
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least) ?? 10 * power;
}
