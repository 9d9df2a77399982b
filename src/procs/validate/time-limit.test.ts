import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tid } from '../../linux/ids.ts';
import { RecordingControl } from '../recorder/control.ts';
import { TimeLimit } from './time-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMIT = 1000;

function limited(): { control: RecordingControl; limit: TimeLimit; end: () => void } {
  const control = new RecordingControl();
  const end = vi.fn();
  return { control, end, limit: new TimeLimit(control, LIMIT, end) };
}

it('ends a program that is still running when its time is up', () => {
  const { control, limit, end } = limited();
  control.alive = tid(17);
  vi.advanceTimersByTime(LIMIT - 1);
  expect(limit.wasExceeded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(limit.wasExceeded).toBe(true);
  expect(end).toHaveBeenCalledOnce();
});

it('does not count the time before the program has begun', () => {
  const { control, limit, end } = limited();
  vi.advanceTimersByTime(LIMIT);
  control.alive = tid(17);
  vi.advanceTimersByTime(LIMIT - 1);
  expect(limit.wasExceeded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(limit.wasExceeded).toBe(true);
  expect(end).toHaveBeenCalledOnce();
});

it('does not take a program for hung that has ended, whatever is still to be done', () => {
  const { control, limit, end } = limited();
  control.alive = tid(17);
  control.alive = undefined;
  vi.advanceTimersByTime(10 * LIMIT);
  expect(limit.wasExceeded).toBe(false);
  expect(end).not.toHaveBeenCalled();
});

it('is over with the attempt', () => {
  const { control, limit, end } = limited();
  control.alive = tid(17);
  limit.stop();
  vi.advanceTimersByTime(10 * LIMIT);
  expect(end).not.toHaveBeenCalled();
});
