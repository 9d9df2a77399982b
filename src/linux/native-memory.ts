/**
 * Memory outside the JavaScript heap, at an address that never moves, so that the kernel can be
 * handed pointers into it: iovecs, register sets, bpf attributes, shared rings.
 *
 *   const memory = allocate(4096);
 *   memory.bytes.writeUInt32LE(42, 16);
 *   someCall(memory.address + 16n);
 */
import koffi from 'koffi';
import { lastErrno, libcFunction } from './libc.ts';
import { checked, SystemError } from './system-error.ts';

export interface NativeMemory {
  readonly address: bigint;
  readonly bytes: Buffer;
}

/** Source: <asm-generic/mman-common.h> and <linux/mman.h>. */
const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MAP_PRIVATE = 2;
const MAP_ANONYMOUS = 0x20;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

const mmapFunction = libcFunction(
  'void *mmap(uintptr_t address, size_t length, int protection, int flags, int fd, long offset)',
);
const munmapFunction = libcFunction('int munmap(uintptr_t address, size_t length)');

/** Zeroed private memory; lives until `release`. */
export function allocate(length: number): NativeMemory {
  return map(length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/** A view of a file, or of a kernel object with an fd, that both sides see change. */
export function mapShared(fd: number, length: number, offset = 0, writable = true): NativeMemory {
  const protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  return map(length, protection, MAP_SHARED, fd, offset);
}

/** What is in a file, to be read only. */
export function mapToRead(fd: number, length: number): NativeMemory {
  return map(length, PROT_READ, MAP_PRIVATE, fd, 0);
}

/** Afterwards, touching `bytes` would crash the process: drop every reference first. */
export function release(memory: NativeMemory): void {
  const length = memory.bytes.length;
  checked('munmap', [memory.address, length], munmapFunction(memory.address, length));
}

function map(
  length: number,
  protection: number,
  flags: number,
  fd: number,
  offset: number,
): NativeMemory {
  const pointer = mmapFunction(0, length, protection, flags, fd, offset);
  const errno = lastErrno();
  const address = koffi.address(pointer);
  if (address === MAP_FAILED) {
    throw new SystemError('mmap', [0, length, protection, flags, fd, offset], errno);
  }
  return { address, bytes: Buffer.from(koffi.view(pointer, length)) };
}
