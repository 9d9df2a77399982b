/** What leads from a lane to another: births, waits and messages, each with a line of its own. */
import { LINKS } from '../../src/report/html/picture.ts';
import { type Scene, yOf } from './draw.ts';

const MOST_LINKS = 1500;
/** So many can be told apart; more are fainter. */
const FEW_LINKS = 120;
const FAINTEST = 0.15;
const DASHES: Readonly<Record<string, number[]>> = { birth: [], wait: [4, 3], message: [1, 3] };

export function drawLinks(scene: Scene, first: number, last: number): void {
  const { on, model, theme } = scene;
  const { links, marks } = model.picture;
  const seen = linksInSight(scene, first, last);
  on.strokeStyle = theme.link;
  on.lineWidth = 1;
  on.globalAlpha = Math.max(FAINTEST, Math.min(1, FEW_LINKS / seen.length));
  for (const link of seen) {
    const [from, to] = [links.from[link]!, links.to[link]!];
    const [x1, x2] = [model.x(from), model.x(to)];
    const y1 = yOf(scene, model.rows.rowOf[marks.lane[from]!]!);
    const y2 = yOf(scene, model.rows.rowOf[marks.lane[to]!]!);
    on.setLineDash(DASHES[LINKS[links.kind[link]!]!]!);
    on.beginPath();
    on.moveTo(x1, y1);
    on.bezierCurveTo(x1 + 10, (y1 + y2) / 2, x2 - 10, (y1 + y2) / 2, x2, y2);
    on.stroke();
  }
  on.setLineDash([]);
  on.globalAlpha = 1;
}

/** Those with both ends in rows that are seen: of hundreds of lanes, nearly all others only pass by. */
function linksInSight({ model }: Scene, first: number, last: number): number[] {
  const { links, marks } = model.picture;
  const { rowOf } = model.rows;
  const seen: number[] = [];
  for (let link = 0; link < links.from.length && seen.length < MOST_LINKS; link++) {
    const [from, to] = [links.from[link]!, links.to[link]!];
    const [one, other] = [rowOf[marks.lane[from]!]!, rowOf[marks.lane[to]!]!];
    if (one === other || Math.min(one, other) < first || Math.max(one, other) >= last) continue;
    const [x1, x2] = [model.x(from), model.x(to)];
    if (Math.max(x1, x2) >= 0 && Math.min(x1, x2) <= model.width) seen.push(link);
  }
  return seen;
}
