import { expect, it } from 'vitest';
import { awaiting, blocking, type Resting } from './resting.ts';

function* countTo(end: number): Resting<number> {
  let count = 0;
  while (count < end) {
    count++;
    yield 1;
  }
  return count;
}

it('work that rests gives the same, whoever runs it', async () => {
  expect(blocking(countTo(3))).toBe(3);
  expect(await awaiting(countTo(3))).toBe(3);
});

it('the event loop goes on only while it is awaited', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  blocking(countTo(20));
  expect(ticks).toBe(0);
  await awaiting(countTo(20));
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(0);
});

it('passes errors on', async () => {
  function* failing(): Resting<void> {
    yield 1;
    throw new Error('broken');
  }
  expect(() => blocking(failing())).toThrow('broken');
  await expect(awaiting(failing())).rejects.toThrow('broken');
});
