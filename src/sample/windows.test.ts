import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Windows } from './windows.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('sampling is on at the beginning of each period, and off for the rest of it', () => {
  const turns: string[] = [];
  const start = Date.now();
  const windows = new Windows({ lengthMs: 10, everyMs: 100 }, (on) =>
    turns.push(`${on ? 'on' : 'off'} at ${Date.now() - start}`),
  );
  windows.begin();
  vi.advanceTimersByTime(215);
  windows.end();
  vi.advanceTimersByTime(1000);
  expect(turns).toEqual([
    ...['on at 0', 'off at 10', 'on at 100', 'off at 110', 'on at 200', 'off at 210'],
  ]);
});
