import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KernelTypes, readKernelTypes } from './btf.ts';

/** A BTF file with the given types; each is its words, and a string stands for the offset of its text. */
function btf(...types: (number | string)[][]): KernelTypes {
  const texts = types.flat().filter((word) => typeof word === 'string');
  const strings = Buffer.from(`\0${texts.map((text) => `${text}\0`).join('')}`);
  const words = types.flat().map((word) => {
    return typeof word === 'number' ? word : strings.indexOf(`\0${word}\0`) + 1;
  });
  const header = Buffer.from(
    Uint32Array.of(0x1eb9f, 24, 0, words.length * 4, words.length * 4, strings.length).buffer,
  );
  return new KernelTypes(
    Buffer.concat([header, Buffer.from(Uint32Array.from(words).buffer), strings]),
  );
}

const STRUCT = 4 << 24;
const UNION = 5 << 24;
/** In the info word: members have bit field widths in the top byte of their offsets. */
const HAS_WIDTHS = 0x8000_0000;

describe('types of a made-up kernel', () => {
  const types = btf(
    ['int', 1 << 24, 4, 32], // 1
    [0, UNION | 2, 4, 'alias', 1, 0, 'name', 1, 0], // 2
    [
      ...['task', STRUCT + HAS_WIDTHS + 4, 24],
      ...['pid_ns', 1, 0],
      ...['pid', 1, 32],
      ...[0, 2, 64],
      ...['flag', 1, (3 << 24) | 96],
    ],
    ['outer', STRUCT | 2, 32, 'first', 1, 0, 'inner', 3, 64], // 4
  );

  it('finds a member, not another whose name starts alike', () => {
    expect(types.offsetOf('task', 'pid')).toBe(4);
    expect(types.offsetOf('task', 'pid_ns')).toBe(0);
    expect(types.findMember('task', 'pi')).toBeUndefined();
  });

  it('adds up the offsets on the way', () => {
    expect(types.offsetOf('task', 'name')).toBe(8);
    expect(types.offsetOf('outer', 'inner.name')).toBe(16);
    expect(types.sizeOf(types.member('outer', 'inner').type)).toBe(24);
  });

  it('gives no byte offset for a bit field', () => {
    expect(() => types.offsetOf('task', 'flag')).toThrow('flag is a bit field');
  });
});

const kernelMembers = (types: KernelTypes): number[] =>
  ['pid', 'tgid', 'files', 'fs', 'mm', 'signal', 'thread_info.status'].map((member) =>
    types.offsetOf('task_struct', member),
  );

const available = existsSync('/sys/kernel/btf/vmlinux');
if (!available) console.warn('skipped: this kernel has no /sys/kernel/btf/vmlinux');

describe.runIf(available)('the running kernel’s types', () => {
  const types = available ? readKernelTypes() : undefined!;

  it('finds members, also of nested structures and inside anonymous ones', () => {
    const pid = types.offsetOf('task_struct', 'pid');
    expect(types.offsetOf('task_struct', 'tgid')).toBe(pid + 4);
    expect(pid % 4).toBe(0);
    const path = types.offsetOf('file', 'f_path');
    expect(types.offsetOf('file', 'f_path.dentry')).toBe(path + types.offsetOf('path', 'dentry'));
    // i_nlink lives in an anonymous union of struct inode; __i_nlink is the same word.
    expect(types.offsetOf('inode', 'i_nlink')).toBe(types.offsetOf('inode', '__i_nlink'));
  });

  it('knows sizes as x86-64 has them', () => {
    const sizeOf = (struct: string) => types.sizeOf(types.idOf('struct', struct));
    // 21 words, fixed by the ABI of the system call path.
    expect(sizeOf('pt_regs')).toBe(168);
    expect(sizeOf('list_head')).toBe(16);
    expect(types.sizeOf(types.member('list_head', 'next').type)).toBe(8);
    expect(types.sizeOf(types.member('task_struct', 'comm').type)).toBe(16);
    expect(types.sizeOf(types.member('inode', 'i_ino').type)).toBe(8);
    expect(types.offsetOf('task_struct', 'tgid')).toBeLessThan(sizeOf('task_struct'));
  });

  it('tells kinds apart and leads back from an id to its kind', () => {
    const tracepoint = types.idOf('typedef', 'btf_trace_sys_enter');
    expect(types.kindOf(tracepoint)).toBe('typedef');
    expect(types.kindOf(types.idOf('function', 'vfs_read'))).toBe('function');
    expect(types.findId('struct', 'vfs_read')).toBeUndefined();
  });

  it('finds the same whether the file is mapped or read', () => {
    const read = new KernelTypes(readFileSync('/sys/kernel/btf/vmlinux'));
    for (const name of ['btf_trace_sys_enter', 'btf_trace_sys_exit']) {
      expect(types.idOf('typedef', name)).toBe(read.idOf('typedef', name));
    }
    expect(kernelMembers(types)).toEqual(kernelMembers(read));
  });

  it('says what this kernel lacks', () => {
    expect(types.findMember('task_struct', 'no_such_member')).toBeUndefined();
    expect(() => types.offsetOf('task_struct', 'pid.inner')).toThrow(
      'the running kernel has no member pid.inner in struct task_struct',
    );
    expect(() => types.idOf('struct', 'no_such_struct')).toThrow(
      'the running kernel has no struct no_such_struct',
    );
  });
});
