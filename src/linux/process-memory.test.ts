import { describe, expect, it } from 'vitest';
import { tid, traceeAddress } from './ids.ts';
import { allocate, release } from './native-memory.ts';
import { readMemory, readString, writeMemory } from './process-memory.ts';
import { rawSyscall } from './raw-syscall.ts';

// Our own process is as good a target as any: the calls do not know the difference.
const self = tid(process.pid);
const PAGE = 4096;

describe("another process's memory", () => {
  it('is read and written', () => {
    const memory = allocate(3 << 20);
    const bytes = Buffer.alloc((2 << 20) + 7, 'deadheat');
    writeMemory(self, traceeAddress(memory.address + 5n), bytes);
    expect(memory.bytes.subarray(5, 5 + bytes.length).equals(bytes)).toBe(true);
    expect(readMemory(self, traceeAddress(memory.address + 5n), bytes.length).equals(bytes)).toBe(
      true,
    );
    release(memory);
  });

  it('gives strings up to their NUL, also across pages and as raw bytes', () => {
    const memory = allocate(3 * PAGE);
    memory.bytes.write('caf\xe9/\0', PAGE - 3, 'latin1');
    const address = traceeAddress(memory.address + BigInt(PAGE - 3));
    expect(readString(self, address)).toBe('caf\udce9/');
    expect(readString(self, traceeAddress(0n))).toBeUndefined();
    release(memory);
  });

  it('stops at the end of what is mapped', () => {
    const memory = allocate(2 * PAGE);
    memory.bytes.fill('x');
    rawSyscall('munmap', [memory.address + BigInt(PAGE), PAGE]);
    expect(readMemory(self, traceeAddress(memory.address + BigInt(PAGE - 10)), 100)).toHaveLength(
      10,
    );
    expect(readString(self, traceeAddress(memory.address + 1n))).toBeUndefined();
    rawSyscall('munmap', [memory.address, PAGE]);
  });
});
