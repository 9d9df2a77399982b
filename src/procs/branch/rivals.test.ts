import { expect, it } from 'vitest';
import { detectRaces } from '../detect/detect.ts';
import type { RaceKind } from '../detect/race.ts';
import { buildTimeline } from '../detect/timeline.ts';
import { Script } from '../testdata/records.ts';
import { rivals } from './rivals.ts';

/** Whose steps they are. */
function rivalsIn({ records }: Script, kind: RaceKind): number[] {
  const race = detectRaces(buildTimeline(records, '/')).races.find((one) => one.kind === kind)!;
  return rivals(race).map(({ process }) => process);
}

const two = (): Script => new Script().makePipe(1, 7).fork(1, 2).fork(1, 3);

it('are both sides of a race between two', () => {
  expect(rivalsIn(two().write(2, '/f').read(3, '/f'), 'load-store')).toEqual([2, 3]);
});

it('are those who may wake a third, or be woken by it, wherever that one stands', () => {
  const waited = two().exit(2).wait(1, 2).write(1, '/f').exit(3).wait(1, 3);
  expect(rivalsIn(waited, 'wait-wakeups')).toEqual([2, 3]);
  const taken = two().receive(2, 7).send(1, 7, 10).receive(3, 7);
  expect(rivalsIn(taken, 'wakeup-waits')).toEqual([2, 3]);
});
