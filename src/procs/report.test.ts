import { expect, it } from 'vitest';
import { detectRaces } from './detect/detect.ts';
import { buildTimeline } from './detect/timeline.ts';
import { buildReport } from './report.ts';
import { Script } from './testdata/records.ts';

function titlesOf({ records }: Script): string[] {
  const timeline = buildTimeline(records, '/');
  const info = { cwd: '/', command: ['root'] } as unknown as Parameters<
    typeof buildReport
  >[0]['info'];
  const findings = { ...detectRaces(timeline), hidden: 0 };
  return buildReport({ name: 'procs-1', info }, '0', timeline, findings).races.map(
    ({ title }) => title,
  );
}

const two = (): Script => new Script().fork(1, 2).fork(1, 3);

it('tells those apart that have one name, and leaves out what says nothing', () => {
  expect(titlesOf(two().exit(2).exit(3).wait(1, 2).write(1, '/f'))).toEqual([
    'root (pid 1) may be woken by root (pid 2) or by root (pid 3) first',
  ]);
  const named = two().exec(2, 'cc').exec(3, 'ld');
  expect(titlesOf(named.exit(2).exit(3).wait(1, 2).write(1, '/f'))).toEqual([
    'root may be woken by cc or by ld first',
  ]);
});

it('has its words in the right order: somebody looks it up', () => {
  const script = two().exec(2, 'make').exec(3, 'sh');
  const titles = titlesOf(script.call(2, 'stat', '/obj').call(3, 'mkdir', '/obj'));
  expect(titles).toEqual(['sh creates obj while make looks it up']);
});
