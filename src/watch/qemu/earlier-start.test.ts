import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listenToProgress } from '../../base/progress.ts';
import { earlierStart, tellingOfStart } from './earlier-start.ts';

let cache = '';
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

/** What is told of a start that takes no time. */
async function told(kvm: boolean): Promise<string[]> {
  const lines: string[] = [];
  const stop = listenToProgress((progress) => {
    if (progress) lines.push(`${progress.done}/${progress.total} ${progress.doing}`);
  });
  expect(await tellingOfStart(kvm, async () => 'ready')).toBe('ready');
  stop();
  return lines;
}

it('expects what the last one took, if there was any', async () => {
  expect(earlierStart(false)).toBeUndefined();
  expect(await told(false)).toEqual(['0/0 starting the guest']);
  vi.useFakeTimers({ toFake: ['performance'] });
  await tellingOfStart(false, async () => vi.advanceTimersByTime(18_000));
  vi.useRealTimers();
  expect(earlierStart(false)).toBe(18_000);
  expect(await told(false)).toEqual(['0/18 seconds of starting the guest']);
  expect(earlierStart(true)).toBeUndefined();
});

it('does not count one that has failed', async () => {
  const failing = tellingOfStart(true, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(earlierStart(true)).toBeUndefined();
});
