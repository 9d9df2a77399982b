import { expect, it } from 'vitest';
import type { AgentRecord } from '../linux/agent-channel.ts';
import { pid } from '../linux/ids.ts';
import { ownImages } from './own-images.ts';

const hello = (process: number, number: number): AgentRecord => ({
  ...({ kind: 'hello', process, pid: pid(number), protocol: 1, path: '' } as const),
  ...{ parentPid: pid(1), parentProcess: undefined },
});
const image = (process: number, path: string): AgentRecord => ({
  ...({ kind: 'image', process, path, time: 0n, buildId: '', isGone: false } as const),
  ...{ loadBase: 0, begin: 0, end: 0 },
});

it('has what the first process was and became, and not what it started', () => {
  const executed = [hello(1, 70), image(1, '/bin/env'), hello(2, 70), image(2, '/bin/server')];
  expect([...ownImages(executed)]).toEqual(['/bin/env', '/bin/server']);
  const started = [hello(1, 70), image(1, '/bin/timeout'), hello(2, 71), image(2, '/bin/server')];
  expect([...ownImages(started)]).toEqual(['/bin/timeout']);
  expect([...ownImages([])]).toEqual([]);
});
