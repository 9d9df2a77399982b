import { describe, expect, it } from 'vitest';
import { evaluateExpression } from './evaluate-expression.ts';

const around = {
  register: (number: number) => (number === 7 ? 0x7000n : number === 16 ? 0x102bn : undefined),
  word: (address: bigint) => (address === 0x70a0n ? 0x1234n : undefined),
};
const evaluated = (...bytes: number[]) => evaluateExpression(Uint8Array.from(bytes), around);

/** What the linker writes for the procedure linkage table. */
const LINKAGE = [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];

describe('an expression of an unwind table', () => {
  it('says how far the stub of an imported function has come', () => {
    // At the last of its 16 bytes but four, something has been pushed.
    expect(evaluated(...LINKAGE)).toBe(0x7010n);
    const before = { ...around, register: (n: number) => (n === 16 ? 0x1020n : 0x7000n) };
    expect(evaluateExpression(Uint8Array.from(LINKAGE), before)).toBe(0x7008n);
  });

  it('finds what a signal has saved on the stack', () => {
    expect(evaluated(0x77, 0xa0, 0x01, 0x06)).toBe(0x1234n);
  });

  it('computes with 64 bits', () => {
    expect(evaluated(0x30, 0x31, 0x1c)).toBe(0xffff_ffff_ffff_ffffn);
    expect(evaluated(0x09, 0xff, 0x30, 0x2d)).toBe(1n);
    expect(evaluated(0x35, 0x12, 0x1e)).toBe(25n);
    expect(evaluated(0x31, 0x32, 0x16, 0x1c)).toBe(1n);
    expect(evaluated(0x34, 0x23, 0x80, 0x01)).toBe(132n);
  });

  it('is not known if something in it is not', () => {
    expect(evaluated(0x70, 0)).toBeUndefined();
    expect(evaluated(0x31, 0x06)).toBeUndefined();
    expect(evaluated(0x22)).toBeUndefined();
    expect(evaluated(0x08)).toBeUndefined();
    expect(evaluated(0xf0)).toBeUndefined();
    expect(evaluated()).toBeUndefined();
  });
});
