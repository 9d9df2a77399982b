import { describe, expect, it } from 'vitest';
import { tid } from './ids.ts';
import { allocate, mapShared, release } from './native-memory.ts';
import { seize } from './ptrace.ts';
import { rawSyscall } from './raw-syscall.ts';
import { SystemError } from './system-error.ts';

function thrownBy(act: () => unknown): SystemError {
  try {
    act();
  } catch (error) {
    if (error instanceof SystemError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('failed system calls', () => {
  it('say the call, its arguments and the name of errno', () => {
    // Pid 0 is nobody.
    const error = thrownBy(() => seize(tid(0), 0));
    expect(error.message).toBe('ptrace(PTRACE_SEIZE, 0): ESRCH (No such process)');
    expect(error).toMatchObject({ call: 'ptrace', code: 'ESRCH', errno: 3 });
  });

  it('show addresses in hexadecimal and negative arguments as they were', () => {
    const error = thrownBy(() => rawSyscall('close', [-1]));
    expect(error.message).toBe('close(-1): EBADF (Bad file descriptor)');
    expect(thrownBy(() => rawSyscall('munmap', [0x1001n, 1])).message).toMatch(
      /^munmap\(0x1001, 1\): EINVAL/,
    );
  });

  it('give the result when nothing failed', () => {
    expect(rawSyscall('getpid', [])).toBe(process.pid);
  });
});

describe('native memory', () => {
  it('is zeroed, keeps what is written and has the address it says', () => {
    const memory = allocate(4096);
    expect(memory.bytes.every((byte) => byte === 0)).toBe(true);
    memory.bytes.write('hello', 100);
    // process_vm_readv on ourselves reads by address, not through the buffer.
    const target = allocate(4096);
    const vectors = allocate(4096);
    vectors.bytes.writeBigUInt64LE(target.address, 0);
    vectors.bytes.writeBigUInt64LE(5n, 8);
    vectors.bytes.writeBigUInt64LE(memory.address + 100n, 16);
    vectors.bytes.writeBigUInt64LE(5n, 24);
    const at = vectors.address;
    expect(rawSyscall('process_vm_readv', [process.pid, at, 1, at + 16n, 1, 0])).toBe(5);
    expect(target.bytes.toString('latin1', 0, 5)).toBe('hello');
    for (const each of [memory, target, vectors]) release(each);
  });

  it('cannot map what is not a file', () => {
    expect(thrownBy(() => mapShared(-1, 4096)).code).toBe('EBADF');
  });
});
