import { afterEach, describe, expect, it } from 'vitest';
import { tryTo } from '../base/result.ts';
import {
  type BpfMap,
  closeBpf,
  createLink,
  createMap,
  type LinkFd,
  loadProgram,
  lookup,
  openRawTracepoint,
  type ProgramFd,
  ProgramRejected,
  possibleCpus,
  remove,
  update,
} from './bpf.ts';
import { readKernelTypes } from './btf.ts';

const opened: (BpfMap | ProgramFd | LinkFd)[] = [];
const keep = <T extends BpfMap | ProgramFd | LinkFd>(object: T): T => {
  opened.push(object);
  return object;
};

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** BPF instructions in hexadecimal: code, registers, offset, immediate. */
const program = (...instructions: string[]): Buffer =>
  Buffer.from(instructions.join('').replaceAll(' ', ''), 'hex');
const RETURN_ZERO = ['b7 00 0000 00000000', '95 00 0000 00000000'];

const canary = tryTo(() => closeBpf(createMap({ ...hash(), name: 'canary' })));
if (!canary.ok) console.warn(`skipped: bpf(2) is not for this user (${canary.error.message})`);

function hash() {
  return { type: 'hash', keySize: 4, valueSize: 4, entries: 16, name: 'test' } as const;
}

afterEach(() => {
  for (const object of opened.splice(0)) closeBpf(object);
});

describe.runIf(canary.ok)('bpf maps', () => {
  it('give back what was put in, until it is removed', () => {
    const map = keep(createMap(hash()));
    expect(lookup(map, word(1))).toBeUndefined();
    update(map, word(1), word(100));
    update(map, word(2), word(200));
    update(map, word(1), word(101));
    expect(lookup(map, word(1))).toEqual(word(101));
    expect(lookup(map, word(2))).toEqual(word(200));
    expect(remove(map, word(1))).toBe(true);
    expect(remove(map, word(1))).toBe(false);
    expect(lookup(map, word(1))).toBeUndefined();
  });

  it('have one value for each possible CPU when per-CPU', () => {
    const map = keep(createMap({ ...hash(), type: 'per-cpu-array', valueSize: 4 }));
    const values = Buffer.alloc(8 * possibleCpus(), 7);
    update(map, word(3), values);
    expect(lookup(map, word(3))?.length).toBe(values.length);
    expect(lookup(map, word(3))?.readUInt32LE(values.length - 8)).toBe(0x07070707);
  });

  it('say which map was refused', () => {
    expect(() =>
      createMap({ type: 'ring-buffer', keySize: 0, valueSize: 0, entries: 5000, name: 'odd' }),
    ).toThrow('bpf(BPF_MAP_CREATE, ring-buffer odd, 5000): EINVAL');
  });
});

describe.runIf(canary.ok)('bpf programs', () => {
  it('load and attach to a raw tracepoint', () => {
    const loaded = keep(
      loadProgram({ type: 'raw-tracepoint', name: 'zero', instructions: program(...RETURN_ZERO) }),
    );
    keep(openRawTracepoint(loaded, 'sched_process_fork'));
    expect(() => openRawTracepoint(loaded, 'no_such_tracepoint')).toThrow('ENOENT');
  });

  it('run in the kernel: one increments a counter at each of our system calls', () => {
    const map = keep(createMap({ ...hash(), type: 'array', valueSize: 8, entries: 1 }));
    const instructions = program(
      '62 0a fcff 00000000', // *(u32 *)(fp - 4) = 0
      `18 11 0000 ${word(map.fd).toString('hex')} 0000000000000000`, // r1 = map
      'bf a2 0000 00000000', // r2 = fp
      '07 02 0000 fcffffff', // r2 -= 4
      '85 00 0000 01000000', // r0 = bpf_map_lookup_elem(r1, r2)
      '15 00 0200 00000000', // if r0 == 0 goto +2
      'b7 01 0000 01000000', // r1 = 1
      'db 10 0000 00000000', // *(u64 *)r0 += r1, atomically
      ...RETURN_ZERO,
    );
    const loaded = keep(loadProgram({ type: 'raw-tracepoint', name: 'count', instructions }));
    const link = openRawTracepoint(loaded, 'sys_enter');
    for (let calls = 0; calls < 10; calls++) process.getuid!();
    closeBpf(link);
    const counted = lookup(map, word(0))!.readBigUInt64LE(0);
    expect(counted).toBeGreaterThanOrEqual(10n);
  });

  it('attach by BTF id through a link', () => {
    const attachTo = readKernelTypes().idOf('typedef', 'btf_trace_sched_process_fork');
    const loaded = keep(
      loadProgram({
        type: 'tracing',
        attachType: 'trace-raw-tracepoint',
        attachTo,
        name: 'by_id',
        instructions: program(...RETURN_ZERO),
      }),
    );
    keep(createLink(loaded, 'trace-raw-tracepoint'));
  });

  it('are rejected with the verifier’s reason', () => {
    const noResult = program('95 00 0000 00000000');
    const attempt = tryTo(() =>
      loadProgram({ type: 'raw-tracepoint', name: 'bad', instructions: noResult }),
    );
    expect(attempt.ok).toBe(false);
    if (attempt.ok) return;
    expect(attempt.error).toBeInstanceOf(ProgramRejected);
    expect(attempt.error.message).toContain('bpf(BPF_PROG_LOAD, raw-tracepoint bad): EACCES');
    expect(attempt.error.message).toContain('R0 !read_ok');
  });
});
