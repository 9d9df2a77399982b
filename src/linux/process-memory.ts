/** Reading and writing another process's memory without stopping it: process_vm_readv(2). */
import { closeSync, openSync, writeSync } from 'node:fs';
import { decodeBytes } from '../base/bytes.ts';
import { errnoNumber } from './errno.ts';
import type { Pid, Tid, TraceeAddress } from './ids.ts';
import { lastErrno, libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';
import { SystemError } from './system-error.ts';

const readvFunction = libcFunction(
  'long process_vm_readv(int pid, uintptr_t local, ulong nlocal, uintptr_t remote, ulong nremote, ulong flags)',
);
const writevFunction = libcFunction(
  'long process_vm_writev(int pid, uintptr_t local, ulong nlocal, uintptr_t remote, ulong nremote, ulong flags)',
);

const PAGE = 4096;
/** The longest path the kernel takes, <linux/limits.h>. */
const PATH_MAX = 4096;
const ESRCH = errnoNumber('ESRCH')!;
/** Not mapped, not an address at all, or a process that may not be looked into. */
const UNREADABLE = ['EFAULT', 'EINVAL', 'EPERM'].map(errnoNumber);

const DATA_AT = PAGE;
const MAX_PIECE = 1 << 20;
const scratch = allocate(DATA_AT + MAX_PIECE);
const LOCAL_VECTOR = Number(scratch.address);
const REMOTE_VECTOR = LOCAL_VECTOR + 16;
/** Two struct iovec: where and how much here, where and how much there. */
const vectors = new BigUint64Array(scratch.bytes.buffer, scratch.bytes.byteOffset, 4);

/** As many of the `length` bytes as are mapped, from the start; the result is a copy. */
export function readMemory(task: Tid, address: TraceeAddress, length: number): Buffer {
  const pieces: Buffer[] = [];
  for (let done = 0; done < length; ) {
    const wanted = Math.min(length - done, MAX_PIECE);
    const piece = readPiece(task, (address + BigInt(done)) as TraceeAddress, wanted);
    pieces.push(Buffer.from(piece));
    if (piece.length < wanted) break;
    done += piece.length;
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** Throws unless every byte was written. Read-only pages are refused by the kernel. */
export function writeMemory(task: Tid, address: TraceeAddress, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const piece = bytes.subarray(done, done + MAX_PIECE);
    scratch.bytes.set(piece, DATA_AT);
    const at = address + BigInt(done);
    setVectors(at, piece.length);
    const written = Number(writevFunction(task, LOCAL_VECTOR, 1, REMOTE_VECTOR, 1, 0));
    if (written <= 0) throw new SystemError('process_vm_writev', [task, at], lastErrno());
    done += written;
  }
}

/** Code too, which is read-only for everybody but a tracer: what is changed is the process's own copy of it. */
export function writeCode(task: Tid | Pid, address: TraceeAddress, bytes: Uint8Array): void {
  const writer = new CodeWriter(task);
  try {
    writer.write(address, bytes);
  } finally {
    writer.close();
  }
}

/** The same, for many writes. It keeps to the memory that the process has now: after an exec, nothing is written. */
export class CodeWriter {
  readonly #task: Tid | Pid;
  readonly #fd: number | undefined;

  constructor(task: Tid | Pid) {
    this.#task = task;
    try {
      this.#fd = openSync(`/proc/${task}/mem`, 'r+');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** undefined if the process has ended. */
  get descriptor(): number | undefined {
    return this.#fd;
  }

  write(address: TraceeAddress, bytes: Uint8Array): void {
    const fd = this.#fd;
    const written = fd === undefined ? 0 : writeSync(fd, bytes, 0, bytes.length, Number(address));
    // The memory of one that has ended takes nothing.
    if (written < bytes.length) throw new SystemError('write', ['mem', this.#task, address], ESRCH);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

/** A NUL-terminated string, or `undefined` if the address is not readable. */
export function readString(task: Tid, address: TraceeAddress): string | undefined {
  if (address === 0n) return undefined;
  const pieces: Buffer[] = [];
  let at = address;
  for (let length = 0; length < PATH_MAX; ) {
    // Never across a page boundary: the next page need not be mapped.
    const room = PAGE - Number(at & BigInt(PAGE - 1));
    const piece = readPiece(task, at, room);
    if (piece.length === 0) return undefined;
    const end = piece.indexOf(0);
    if (end >= 0) {
      const last = piece.subarray(0, end);
      return decodeBytes(pieces.length === 0 ? last : Buffer.concat([...pieces, last]));
    }
    pieces.push(Buffer.from(piece));
    length += piece.length;
    at = (at + BigInt(piece.length)) as TraceeAddress;
  }
  return decodeBytes(Buffer.concat(pieces).subarray(0, PATH_MAX));
}

/** A view that the next read overwrites. */
function readPiece(task: Tid, address: TraceeAddress, length: number): Buffer {
  setVectors(address, length);
  const got = Number(readvFunction(task, LOCAL_VECTOR, 1, REMOTE_VECTOR, 1, 0));
  if (got >= 0) return scratch.bytes.subarray(DATA_AT, DATA_AT + got);
  const errno = lastErrno();
  if (UNREADABLE.includes(errno)) return scratch.bytes.subarray(0, 0);
  throw new SystemError('process_vm_readv', [task, address, length], errno);
}

vectors[0] = scratch.address + BigInt(DATA_AT);

function setVectors(remote: bigint, length: number): void {
  vectors[1] = BigInt(length);
  vectors[2] = remote;
  vectors[3] = vectors[1];
}
