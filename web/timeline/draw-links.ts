/** What leads from a lane to another: births, waits and messages, each with a line of its own. */
import { LINKS } from '../../src/report/html/picture.ts';
import { type Scene, yOf } from './draw.ts';

const MOST_LINKS = 1500;
const DASHES: Readonly<Record<string, number[]>> = { birth: [], wait: [4, 3], message: [1, 3] };

export function drawLinks(scene: Scene, first: number, last: number): void {
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
