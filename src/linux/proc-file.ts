/**
 * Quick looks at files of /proc, for a tracer that takes thousands a second while the tracee waits:
 *
 *   fileAt('/proc/4711/fd/3')          device, inode and mode of what is open there
 *   readProcFile('/proc/4711/status')  its bytes; a view that the next look overwrites
 *
 * node:fs asks more of the kernel (what a file is, whether more follows) and makes dates and
 * options that nobody needs here. Paths are plain ASCII and short; undefined if nothing is there.
 */
import { AT_FDCWD } from './fcntl.ts';
import { libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';

const openFunction = libcFunction('int open(uintptr_t path, int flags)');
const readFunction = libcFunction('long read(int fd, uintptr_t buffer, size_t length)');
const closeFunction = libcFunction('int close(int fd)');
const statxFunction = libcFunction(
  'int statx(int folder, uintptr_t path, int flags, uint32_t mask, uintptr_t buffer)',
);

const O_RDONLY_CLOEXEC = 0o2000000;
/** STATX_TYPE, STATX_MODE and STATX_INO, <linux/stat.h>. */
const MASK = 0x0103;
/** In struct statx, <linux/stat.h>. */
const MODE_AT = 28;
const INODE_AT = 32;
const DEVICE_AT = 136;

/** A name in /proc, then a struct statx, then contents. */
const STATX_AT = 256;
const CONTENTS_AT = 512;
/** More than /proc/PID/status has, but for a member of thousands of groups. */
const PIECE = 16_384;
const scratch = allocate(CONTENTS_AT + PIECE);
const PATH = Number(scratch.address);
const STATX = PATH + STATX_AT;
const CONTENTS = PATH + CONTENTS_AT;
const found = new DataView(scratch.bytes.buffer, scratch.bytes.byteOffset + STATX_AT, STATX_AT);

export interface FoundFile {
  device: number;
  inode: number;
  mode: number;
}

/** Follows links, as those of /proc/PID/fd are. */
export function fileAt(path: string): FoundFile | undefined {
  setPath(path);
  if (statxFunction(AT_FDCWD, PATH, 0, MASK, STATX) !== 0) return undefined;
  return {
    device: deviceNumber(found.getUint32(DEVICE_AT, true), found.getUint32(DEVICE_AT + 4, true)),
    inode: found.getUint32(INODE_AT, true) + found.getUint32(INODE_AT + 4, true) * 2 ** 32,
    mode: found.getUint16(MODE_AT, true),
  };
}

/** Up to `most` bytes. */
export function readProcFile(path: string, most = Number.POSITIVE_INFINITY): Buffer | undefined {
  setPath(path);
  const fd = openFunction(PATH, O_RDONLY_CLOEXEC);
  if (fd < 0) return undefined;
  try {
    const first = readPiece(fd, most);
    // What is shown in one go comes in one go, if there is room.
    if (first === undefined || first.length < PIECE || first.length >= most) return first;
    return readOn(fd, Buffer.from(first), most);
  } finally {
    closeFunction(fd);
  }
}

function readOn(fd: number, first: Buffer, most: number): Buffer {
  const pieces = [first];
  for (let length = first.length; length < most; ) {
    const piece = readPiece(fd, most - length);
    if (!piece?.length) break;
    pieces.push(Buffer.from(piece));
    length += piece.length;
  }
  return Buffer.concat(pieces);
}

/** undefined if the task has died since. */
function readPiece(fd: number, most: number): Buffer | undefined {
  const length = Number(readFunction(fd, CONTENTS, Math.min(most, PIECE)));
  return length < 0 ? undefined : scratch.bytes.subarray(CONTENTS_AT, CONTENTS_AT + length);
}

function setPath(path: string): void {
  scratch.bytes.write(path, 0, 'latin1');
  scratch.bytes[path.length] = 0;
}

/** As stat(2) gives it: gnu_dev_makedev of <sys/sysmacros.h>, whose upper half nothing has. */
function deviceNumber(major: number, minor: number): number {
  return (((major & 0xfff) << 8) | (minor & 0xff) | ((minor & 0xfff00) << 12)) >>> 0;
}
