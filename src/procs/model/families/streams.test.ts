import { describe, expect, it } from 'vitest';
import { detectRaces } from '../../detect/detect.ts';
import { buildTimeline } from '../../detect/timeline.ts';
import { Script } from '../../testdata/records.ts';

/** 2 and 3 have a device open that 1 has opened. */
function races(device: string, call: 'read' | 'write'): string[] {
  const file = { id: 0, device: 6, inode: 3, mode: 0o020666 };
  const moved = { args: [3, 0, 4], result: 4, file };
  const script = new Script().call(1, 'openat', device, { result: 3, file2: file });
  script.fork(1, 2).fork(1, 3).call(2, call, undefined, moved).call(3, call, undefined, moved);
  return detectRaces(buildTimeline(script.records, '/')).races.map(({ kind }) => kind);
}

describe('a device that forgets', () => {
  it.each([
    ['/dev/null', 'write'],
    ['/dev/full', 'write'],
    ['/dev/zero', 'read'],
    ['/dev/urandom', 'read'],
  ] as const)('is not fought over: %s', (device, call) => {
    expect(races(device, call)).toEqual([]);
  });
});

it.each(['read', 'write'] as const)('a terminal is: %s', (call) => {
  expect(races('/dev/tty', call)).toEqual(['load-store']);
});
