import { describe, expect, it } from 'vitest';
import { syscallNumber } from '../../linux/syscalls.ts';
import { callRecord, pipe, SOME_FILE } from '../testdata/records.ts';
import { narrowedCall } from './narrowed-call.ts';

type Details = Parameters<typeof callRecord>[3];

/** As JSON: `{"0":14}` for the arguments instead, `= 0` for an answer without a call. */
function narrowed(name: string, details: Details, args: number[], child?: number): string {
  const record = callRecord(1, name, undefined, details);
  const call = { number: syscallNumber(name), args };
  const { instead, answer } = narrowedCall(record, call, child);
  return answer === undefined ? JSON.stringify(Object.fromEntries(instead ?? [])) : `= ${answer}`;
}

describe('a wait', () => {
  it('for any child, or any of a group, is made one for the right child', () => {
    expect(narrowed('wait4', { result: 14 }, [-1], 14)).toBe('{"0":14}');
    expect(narrowed('wait4', { result: 14 }, [0], 14)).toBe('{"0":14}');
    expect(narrowed('wait4', { result: 14 }, [-7], 14)).toBe('{"0":14}');
    // As the registers have it: 32 bits of them count.
    expect(narrowed('wait4', { result: 14 }, [0xffff_ffff], 14)).toBe('{"0":14}');
    expect(narrowed('waitid', { result: 0 }, [0, 0], 14)).toBe('{"0":1,"1":14}');
    expect(narrowed('waitid', { result: 0 }, [2, 7], 14)).toBe('{"0":1,"1":14}');
  });

  it('for one child stays as it is', () => {
    expect(narrowed('wait4', { result: 14 }, [14], 14)).toBe('{}');
    expect(narrowed('waitid', { result: 0 }, [1, 14], 14)).toBe('{}');
    expect(narrowed('waitid', { result: 0 }, [3, 5], 14)).toBe('{}');
  });

  it('that found nobody finds nobody again', () => {
    expect(narrowed('wait4', { result: 0 }, [-1])).toBe('= 0');
    expect(narrowed('waitid', { result: 0 }, [0, 0])).toBe('= 0');
  });

  it('that failed is made again', () => {
    expect(narrowed('wait4', { result: -10 }, [-1])).toBe('{}');
    expect(narrowed('waitid', { result: -10 }, [0, 0])).toBe('{}');
  });
});

describe('a read', () => {
  it('of a stream asks for as much as it got', () => {
    expect(narrowed('read', { result: 6, file: pipe(7) }, [0, 0, 4096])).toBe('{"2":6}');
    expect(narrowed('recvfrom', { result: 6, file: pipe(7) }, [0, 0, 4096])).toBe('{"2":6}');
  });

  it('that got everything, or nothing, or failed, stays as it is', () => {
    expect(narrowed('read', { result: 4096, file: pipe(7) }, [0, 0, 4096])).toBe('{}');
    expect(narrowed('read', { result: 0, file: pipe(7) }, [0, 0, 4096])).toBe('{}');
    expect(narrowed('read', { result: -4, file: pipe(7) }, [0, 0, 4096])).toBe('{}');
  });

  it('of a file stays as it is: whatever it gets there is its business', () => {
    expect(narrowed('read', { result: 6, file: SOME_FILE }, [0, 0, 4096])).toBe('{}');
    expect(narrowed('read', { result: 6 }, [0, 0, 4096])).toBe('{}');
  });
});

it('other calls stay as they are', () => {
  expect(narrowed('write', { result: 6, file: pipe(7) }, [1, 0, 4096])).toBe('{}');
});
