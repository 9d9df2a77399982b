import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { callRecord } from '../../testdata/records.ts';
import { isWaker } from './wakers.ts';

/** A semop of these steps, one for each semaphore. */
function semop(...steps: number[]) {
  const bytes = Buffer.alloc(steps.length * 6);
  for (const [index, step] of steps.entries()) bytes.writeInt16LE(step, index * 6 + 2);
  return callRecord(1, 'semop', undefined, { data: decodeBytes(bytes) });
}

describe('a semop', () => {
  it('lets others go on if it only gives', () => {
    expect(isWaker(semop(1))).toBe(true);
    expect(isWaker(semop(1, 2))).toBe(true);
  });

  it('may have waited itself if it takes', () => {
    expect(isWaker(semop(-1))).toBe(false);
    expect(isWaker(semop(1, -1))).toBe(false);
    expect(isWaker(semop(0))).toBe(false);
  });

  it('is not known to give if what it does was not recorded', () => {
    expect(isWaker(callRecord(1, 'semop', undefined))).toBe(false);
  });
});
