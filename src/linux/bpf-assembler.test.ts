import { describe, expect, it } from 'vitest';
import { tryTo } from '../base/result.ts';
import { closeBpf, createMap, loadProgram, lookup, openRawTracepoint, update } from './bpf.ts';
import { BpfAssembler } from './bpf-assembler.ts';
import { syscallNumber } from './syscalls.ts';

const hex = (a: BpfAssembler): string[] => a.assemble().toString('hex').match(/.{16}/g)!;

const map = { type: 'array', keySize: 4, valueSize: 8, entries: 1, name: 'counter' } as const;

describe('BpfAssembler', () => {
  // Code, registers (source above target), offset, number; all little-endian.
  it.each([
    ['r6 = r1', (a: BpfAssembler) => a.move('r6', 'r1'), 'bf16000000000000'],
    ['r0 = -1', (a: BpfAssembler) => a.move('r0', -1), 'b7000000ffffffff'],
    ['r2 += -4', (a: BpfAssembler) => a.add('r2', -4), '07020000fcffffff'],
    ['r3 += r9', (a: BpfAssembler) => a.add('r3', 'r9'), '0f93000000000000'],
    ['r6 -= r3', (a: BpfAssembler) => a.subtract('r6', 'r3'), '1f36000000000000'],
    ['r9 *= r2', (a: BpfAssembler) => a.multiply('r9', 'r2'), '2f29000000000000'],
    ['r1 |= 65536', (a: BpfAssembler) => a.or('r1', 65536), '4701000000000100'],
    ['r1 &= 127', (a: BpfAssembler) => a.and('r1', 127), '570100007f000000'],
    ['r9 <<= 3', (a: BpfAssembler) => a.shiftLeft('r9', 3), '6709000003000000'],
    ['r9 >>= 32', (a: BpfAssembler) => a.shiftRight('r9', 32), '7709000020000000'],
    ['r1 = *(u8 *)(r8 + 1)', (a: BpfAssembler) => a.load(1, 'r1', 'r8', 1), '7181010000000000'],
    ['r1 = *(u16 *)(fp - 16)', (a: BpfAssembler) => a.load(2, 'r1', 'fp', -16), '69a1f0ff00000000'],
    ['r1 = *(u32 *)(r7 + 40)', (a: BpfAssembler) => a.load(4, 'r1', 'r7', 40), '6171280000000000'],
    ['r1 = *(u64 *)(r6 + 8)', (a: BpfAssembler) => a.load(8, 'r1', 'r6', 8), '7961080000000000'],
    ['*(u32 *)(fp - 4) = 0', (a: BpfAssembler) => a.store(4, 'fp', -4, 0), '620afcff00000000'],
    ['*(u64 *)(r7 + 8) = r0', (a: BpfAssembler) => a.store(8, 'r7', 8, 'r0'), '7b07080000000000'],
    ['atomic_fetch_add', (a: BpfAssembler) => a.fetchAdd('r1', 8, 'r2'), 'db21080001000000'],
    ['call 14', (a: BpfAssembler) => a.callHelper('get_current_pid_tgid'), '850000000e000000'],
    ['exit', (a: BpfAssembler) => a.exit(), '9500000000000000'],
  ])('encodes %s', (_, write, expected) => {
    expect(hex(write(new BpfAssembler()))).toEqual([expected]);
  });

  it('spreads 64-bit numbers over two instructions', () => {
    expect(hex(new BpfAssembler().moveLong('r2', (1n << 42n) + 0xffff_ffffn))).toEqual([
      '18020000ffffffff',
      '0000000000040000',
    ]);
  });

  it('jumps forwards and backwards, counting from the next instruction', () => {
    const a = new BpfAssembler();
    a.label('top').jumpIf('r1', '==', 7, 'end').jumpIf('r1', 's<', 'r2', 'top').jump('end');
    a.label('end').exit();
    expect(hex(a)).toEqual([
      '1501020007000000',
      'cd21feff00000000',
      '0500000000000000',
      '9500000000000000',
    ]);
  });

  it('refuses labels that are missing or used twice', () => {
    expect(() => new BpfAssembler().jump('nowhere').assemble()).toThrow('nowhere');
    expect(() => new BpfAssembler().label('here').label('here')).toThrow('here');
  });
});

const canary = tryTo(() => closeBpf(createMap(map)));
if (!canary.ok) console.warn(`skipped: bpf(2) is not for this user (${canary.error.message})`);

describe.runIf(canary.ok)('an assembled program', () => {
  it('runs in the kernel: one counts our calls of getppid', () => {
    const counter = createMap(map);
    const limits = createMap({ ...map, name: 'process' });
    const own = Buffer.alloc(8);
    own.writeUInt32LE(process.pid);
    update(limits, Buffer.alloc(4), own);
    const a = new BpfAssembler();
    a.load(8, 'r6', 'r1', 8).jumpIf('r6', '!=', syscallNumber('getppid'), 'out');
    a.callHelper('get_current_pid_tgid').shiftRight('r0', 32);
    a.moveMapValue('r1', limits).load(8, 'r1', 'r1', 0).jumpIf('r0', '!=', 'r1', 'out');
    a.moveMapValue('r1', counter).move('r2', 1).fetchAdd('r1', 0, 'r2');
    a.label('out').move('r0', 0).exit();
    const instructions = a.assemble();
    const program = loadProgram({ type: 'raw-tracepoint', name: 'count', instructions });
    const link = openRawTracepoint(program, 'sys_enter');
    let parents = 0;
    for (let calls = 0; calls < 25; calls++) parents += Math.sign(process.ppid);
    closeBpf(link);
    const counted = lookup(counter, Buffer.alloc(4))!.readBigUInt64LE(0);
    for (const object of [program, counter, limits]) closeBpf(object);
    expect([parents, counted]).toEqual([25, 25n]);
  });
});
