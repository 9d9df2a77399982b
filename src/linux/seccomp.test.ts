import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuseOnly, type StopAt, traceOnly } from './seccomp.ts';
import { syscallNumber } from './syscalls.ts';

const X86_64 = 0xc000_003e;
const ALLOW = 0x7fff_0000;
const TRACE = 0x7ff0_dead;

/** Runs a filter as the kernel would, on `struct seccomp_data`. */
function decide(filter: Buffer, number: number, args: readonly bigint[], architecture = X86_64) {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((arg, index) => {
    data.writeBigUInt64LE(arg, 16 + 8 * index);
  });
  let word = 0;
  for (let at = 0, steps = 1; ; at += 8, steps++) {
    const code = filter.readUInt16LE(at);
    const [ifTrue, ifFalse] = [filter[at + 2]!, filter[at + 3]!];
    const operand = filter.readUInt32LE(at + 4);
    const go = (test: boolean) => {
      at += 8 * (test ? ifTrue : ifFalse);
    };
    if (code === 0x06) return { action: operand, steps };
    else if (code === 0x20) word = data.readUInt32LE(operand);
    else if (code === 0x05) at += 8 * operand;
    else if (code === 0x15) go(word === operand);
    else if (code === 0x35) go(word >= operand);
    else if (code === 0x45) go((word & operand) !== 0);
    else throw new Error(`instruction ${code}`);
  }
}

describe('a filter', () => {
  it('stops at the calls that were asked for, and at no others', () => {
    const stops = fc.uniqueArray(fc.nat(511), { maxLength: 511 });
    fc.assert(
      fc.property(stops, fc.nat(600), (numbers, number) => {
        const filter = traceOnly(numbers.map((each) => ({ number: each })));
        expect(decide(filter, number, []).action).toBe(numbers.includes(number) ? TRACE : ALLOW);
      }),
    );
  });

  it('looks at arguments where it is told to', () => {
    const calls: StopAt[] = [
      { number: 8 },
      { number: 9, except: { argument: 3, ifAnyBit: 0x20 } },
      { number: 13, except: { argument: 1 } },
      { number: 56, except: { argument: 0, ifNoBit: 0x80_0000 } },
    ];
    const filter = traceOnly(calls);
    const action = (number: number, ...args: bigint[]) => decide(filter, number, args).action;
    expect(action(9, 0n, 0n, 0n, 0x22n)).toBe(ALLOW);
    expect(action(9, 0n, 0n, 0n, 2n)).toBe(TRACE);
    expect(action(56, 0x0100_0011n)).toBe(ALLOW);
    expect(action(56, 0x0180_0011n)).toBe(TRACE);
    expect(action(13, 1n, 0n)).toBe(ALLOW);
    expect(action(13, 1n, 1n)).toBe(TRACE);
    expect(action(13, 1n, 1n << 32n)).toBe(TRACE);
  });

  it('needs few steps, however many calls there are', () => {
    const numbers = Array.from({ length: 256 }, (_, index) => ({ number: 2 * index }));
    const filter = traceOnly(numbers);
    for (let number = 0; number < 512; number++) {
      expect(decide(filter, number, []).steps).toBeLessThan(20);
    }
    // BPF_MAXINSNS.
    expect(filter.length / 8).toBeLessThan(4096);
  });

  it('notices foreign calls, unless it only refuses', () => {
    const i386 = 0x4000_0003;
    expect(decide(traceOnly([]), 4, [], i386).action).toBe(TRACE);
    expect(decide(traceOnly([]), 0x4000_0001, []).action).toBe(TRACE);
    const refusing = refuseOnly(['io_uring_setup'], 38);
    expect(decide(refusing, 4, [], i386).action).toBe(ALLOW);
    expect(decide(refusing, syscallNumber('io_uring_setup'), []).action).toBe(0x0005_0026);
    expect(decide(refusing, syscallNumber('io_uring_enter'), []).action).toBe(ALLOW);
  });
});
