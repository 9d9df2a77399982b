import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readKernelTypes } from './btf.ts';

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

  it('says what this kernel lacks', () => {
    expect(types.findMember('task_struct', 'no_such_member')).toBeUndefined();
    expect(() => types.offsetOf('task_struct', 'pid.inner')).toThrow(
      'the running kernel has no member pid.inner in struct task_struct',
    );
    expect(() => types.idOf('struct', 'no_such_struct')).toThrow(
      'the running kernel has no struct no_such_struct',
    );
    expect(() => types.offsetOf('task_struct', 'in_execve')).toThrow('is a bit field');
  });
});
