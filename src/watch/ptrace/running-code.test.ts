import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pid, tid } from '../../linux/ids.ts';
import { mappingsOf } from '../../linux/memory-maps.ts';
import { RunningCode } from './running-code.ts';

/** So often it is looked at, with a rest in between. */
const LOOKS = 100;

it('sees where a thread is that runs, and nothing of one that has ended', async () => {
  const busy = spawn('sh', ['-c', 'echo; while :; do :; done']);
  const running = new RunningCode();
  try {
    await once(busy.stdout, 'data');
    const code = mappingsOf(pid(busy.pid!)).filter(({ isExecutable }) => isExecutable);
    const isCode = (word: bigint): boolean =>
      code.some(({ start, end }) => word >= start && word < end);
    expect(running.take([tid(busy.pid!)])).toEqual([]);
    const seen: bigint[] = [];
    for (let look = 0; look < LOOKS && !seen.some(isCode); look++) {
      await rest(50);
      seen.push(...running.take([tid(busy.pid!)]));
    }
    expect(seen.some(isCode)).toBe(true);
    busy.kill('SIGKILL');
    await once(busy, 'close');
    running.take([tid(busy.pid!)]);
    expect(running.take([])).toEqual([]);
  } finally {
    running.close();
    busy.kill('SIGKILL');
  }
});
