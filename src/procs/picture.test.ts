import { describe, expect, it } from 'vitest';
import { LINKS, type Picture, SHAPES } from '../report/html/picture.ts';
import { buildTimeline } from './detect/timeline.ts';
import { drawProcesses } from './picture.ts';
import { Script } from './testdata/records.ts';

/** With what it opens before it starts, which is nobody's: in a lane of its own, the last one. */
const draw = ({ records }: Script, racing: number[] = [], most?: number): Picture =>
  drawProcesses(buildTimeline(records, '/'), '/', racing, most);

const family = (): Script =>
  new Script().fork(1, 2).fork(1, 3).fork(2, 4).exec(4, 'cc1').write(4, '/f').exit(4).exit(2);

/** `1 fork() = 2`: the lane's number, and what was done. */
const told = ({ marks, lanes, texts }: Picture, place: number): string =>
  `${lanes[marks.lane[place]!]!.number} ${texts[marks.text[place]!]}`;

describe('lanes', () => {
  it('are processes, children below those who made them', () => {
    const { lanes } = draw(family().write(3, '/g'));
    expect(lanes.slice(0, -1).map(({ number, parent }) => [number, parent])).toEqual([
      ['1', undefined],
      ['2', 0],
      ['4', 1],
      ['3', 0],
    ]);
    expect(lanes[2]?.name).toBe('cc1');
  });

  it('are two for a number that was used twice', () => {
    const script = new Script().fork(1, 2).write(2, '/f').exit(2).wait(1, 2, 2);
    const { lanes, marks } = draw(script.fork(1, 2).write(2, '/g').exit(2));
    expect(lanes.slice(0, -1).map(({ number }) => number)).toEqual(['1', '2', '2']);
    expect(new Set(marks.lane)).toEqual(new Set([0, 1, 2, 3]));
  });
});

it('marks each step with what was done, and by whom', () => {
  const picture = draw(family());
  const all = picture.marks.event.map((_, place) => told(picture, place));
  expect(all).toEqual(
    expect.arrayContaining(['1 fork() = 2', '2 fork() = 4', '4 write("f")', '4 exit(0)']),
  );
  const shapes = picture.marks.shape.map((shape) => SHAPES[shape]);
  expect(shapes.filter((shape) => shape === 'birth')).toHaveLength(3);
  expect(shapes.filter((shape) => shape === 'end')).toHaveLength(2);
});

it('links a fork to what the child did first, and its end to the wait for it', () => {
  const picture = draw(new Script().fork(1, 2).write(2, '/f').exit(2).wait(1, 2, 2));
  const { from, to, kind } = picture.links;
  const links = from.map((_, i) => [
    told(picture, from[i]!),
    LINKS[kind[i]!],
    told(picture, to[i]!),
  ]);
  expect(links).toEqual([
    ['1 fork() = 2', 'birth', '2 write("f")'],
    ['2 exit(0)', 'wait', '1 wait4(2) = 2'],
  ]);
});

it('draws what is near the races, of a recording that is too long', () => {
  const script = new Script().fork(1, 2);
  for (let i = 0; i < 100; i++) script.write(2, '/f');
  const picture = draw(script, [50], 20);
  expect(picture.marks.event[0]).toBe(40);
  expect(picture.leftOut).toBe(102 - picture.marks.event.length);
});
