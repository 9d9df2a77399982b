import { expect, it } from 'vitest';
import type { CallRecord } from '../../../trace/records/call.ts';
import { Script, SOME_FILE } from '../../testdata/records.ts';
import { detectRaces } from '../detect.ts';
import { buildTimeline } from '../timeline.ts';

const WATCH = { ...SOME_FILE, id: 9, inode: 9, mode: 0 };

/** 3 is told of the write of 2, which returns only when 3 has read of it; then 3 reads f too. */
function races(watched: string): string[] {
  const script = new Script().call(1, 'inotify_init1', undefined, { result: 4, file2: WATCH });
  script.call(1, 'inotify_add_watch', watched, { result: 1, file: WATCH });
  script.fork(1, 2).fork(1, 3).write(2, '/f');
  const write = script.records.pop() as CallRecord;
  script.call(3, 'read', undefined, { args: [4, 0, 99], result: 16, file: WATCH });
  const told = script.records.at(-1) as CallRecord;
  script.records.push({ ...write, exit: told.exit + 0.5 });
  script.read(3, '/f');
  return detectRaces(buildTimeline(script.records, '/')).races.map(({ thing }) => thing.name);
}

it('whoever is told of a change comes after it, although the call that made it has not returned', () => {
  expect(races('/f')).toEqual([]);
});

it('whoever watches something else does not', () => {
  expect(races('/g')).toEqual(['/f']);
});
