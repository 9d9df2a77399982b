import { expect, it } from 'vitest';
import { Script } from '../testdata/records.ts';
import { describeStep } from './describe-step.ts';
import { detectRaces } from './detect.ts';
import { distance } from './distance.ts';
import { SurroundingsFinder } from './surroundings.ts';
import { buildTimeline } from './timeline.ts';

/** `3 write("f") ← 1`: each step around the first race, and the numbers of those it comes after. */
function around({ records }: Script): string[] {
  const timeline = buildTimeline(records, '/');
  const [race] = detectRaces(timeline).races;
  const { steps, after } = new SurroundingsFinder(timeline).around(race!);
  return steps.map((step, index) => {
    const sources = after[index]!.length > 0 ? ` ← ${after[index]!.join(', ')}` : '';
    return `${step.process} ${describeStep(step, '/')}${sources}`;
  });
}

it('tells how the racing processes came to be, and who waited for them', () => {
  const script = new Script().fork(1, 2).fork(1, 3).write(2, '/f').write(3, '/f').exit(2).exit(3);
  expect(around(script.wait(1, 2, 2).wait(1, 3, 3))).toEqual([
    '1 fork() = 2',
    '1 fork() = 3',
    '2 write("f") ← 0',
    '3 write("f") ← 1',
    '2 exit(0)',
    '3 exit(0)',
    '1 wait4(2) = 2 ← 4',
    '1 wait4(3) = 3 ← 5',
  ]);
});

it('begins at the common ancestor', () => {
  const script = new Script().fork(1, 2).fork(2, 3).fork(2, 4).write(3, '/f').write(4, '/f');
  expect(around(script)).toEqual([
    '2 fork() = 3',
    '2 fork() = 4',
    '3 write("f") ← 0',
    '4 write("f") ← 1',
  ]);
});

it('tells what a racing process last learned from another', () => {
  const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).send(1, 7).receive(2, 7);
  expect(around(script.write(2, '/f').write(3, '/f'))).toEqual([
    '1 fork() = 2',
    '1 fork() = 3',
    '1 write("pipe:[1:7]")',
    '2 read("pipe:[1:7]") ← 0, 2',
    '2 write("f")',
    '3 write("f") ← 1',
  ]);
});

it('leaves out most of a long line of ancestors', () => {
  const script = new Script();
  for (let child = 2; child < 100; child++) script.fork(child - 1, child);
  const told = around(script.write(1, '/f').write(99, '/f'));
  expect(told).toHaveLength(8);
  expect(told.slice(0, 2)).toEqual(['1 fork() = 2', '94 fork() = 95']);
});

it('is not confused by numbers that were used again', () => {
  const script = new Script().fork(1, 2).exit(2).wait(1, 2).fork(1, 2).fork(1, 3);
  expect(around(script.write(2, '/f').write(3, '/f').exit(2).wait(1, 2))).toEqual([
    '1 fork() = 2',
    '1 fork() = 3',
    '2 write("f") ← 0',
    '3 write("f") ← 1',
    '2 exit(0)',
    '1 wait4(-1) = 2 ← 4',
  ]);
});

it('the distance is how many steps each has made that the other knows nothing of', () => {
  const { records } = new Script()
    .fork(1, 2)
    .call(1, 'stat', '/a')
    .call(1, 'stat', '/b')
    .call(1, 'stat', '/c')
    .call(2, 'stat', '/d')
    .call(2, 'stat', '/e');
  const { graph, steps } = buildTimeline(records, '/');
  const event = (name: string) => steps.find((step) => step.name === name)!.event;
  expect(distance(graph, event('/c'), event('/e'))).toBe(5);
  expect(distance(graph, event('/e'), event('/c'))).toBe(5);
  expect(distance(graph, event('/a'), event('/d'))).toBe(2);
});
