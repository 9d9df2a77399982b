/** Bars of the timeline: the programs that a process runs, as bands; the locks that a thread holds, below its line. */
import { visible } from '../text.tsx';
import { type Scene, yOf } from './draw.ts';
import { CHARACTER, drawLabel } from './draw-label.ts';

const LOCK_HEIGHT = 11;

export function drawBars(scene: Scene, first: number, last: number): void {
  const { on, model, theme, rowHeight } = scene;
  const { bars, marks } = model.picture;
  const areLocks = marks.ended.length === 0;
  /** By row: where each level is free again. */
  const free = new Map<number, number[]>();
  for (const { lane, from, to, label } of bars) {
    const row = model.rows.rowOf[lane]!;
    if (row < first || row >= last || model.rows.rows[row]!.lane !== lane) continue;
    const [x1, x2] = [model.x(from), model.x(to)];
    if (x2 < 0 || x1 > model.width || x2 - x1 < 1) continue;
    const y = yOf(scene, row);
    if (areLocks) {
      const levels = free.get(row) ?? [];
      free.set(row, levels);
      const found = levels.findIndex((end) => end <= from);
      const level = found < 0 ? levels.length : found;
      levels[level] = to;
      drawLock(scene, x1, x2, y + 7 + level * (LOCK_HEIGHT + 2), label);
    } else {
      on.fillStyle = theme.band;
      on.fillRect(x1 - 6, y - rowHeight / 2 + 3, x2 - x1 + 12, rowHeight - 6);
    }
  }
}

function drawLock(
  { on, theme, model }: Scene,
  x1: number,
  x2: number,
  y: number,
  label: string,
): void {
  on.fillStyle = theme.lock;
  on.fillRect(x1, y, x2 - x1, LOCK_HEIGHT);
  on.fillStyle = theme.ink;
  const from = Math.max(0, x1);
  const room = Math.min(model.width, x2) - from - 6;
  if (room > 2 * CHARACTER) drawLabel(on, visible(label), from + 4, y + LOCK_HEIGHT / 2 + 1, room);
}
