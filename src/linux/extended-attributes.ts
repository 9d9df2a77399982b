/** xattr(7): names and values that a file system keeps with a file. Links are not followed. */
import { decodeBytes, encodeBytes } from '../base/bytes.ts';
import { lastErrno, libcFunction } from './libc.ts';
import { SystemError } from './system-error.ts';

const list = libcFunction('long llistxattr(const uint8_t *path, _Out_ uint8_t *list, size_t size)');
const get = libcFunction(
  'long lgetxattr(const uint8_t *path, const uint8_t *name, _Out_ uint8_t *value, size_t size)',
);
const set = libcFunction(
  'int lsetxattr(const uint8_t *path, const uint8_t *name, const uint8_t *value, size_t size, int flags)',
);
const remove = libcFunction('int lremovexattr(const uint8_t *path, const uint8_t *name)');

/** XATTR_SIZE_MAX and XATTR_LIST_MAX, <linux/limits.h>. */
const LONGEST = 65_536;

/** Empty for a file system that has none. */
export function attributeNames(path: string): string[] {
  const room = Buffer.alloc(LONGEST);
  const length = Number(list(cString(path), room, room.length));
  if (length <= 0) return [];
  return decodeBytes(room.subarray(0, length)).split('\0').filter(Boolean);
}

export function attribute(path: string, name: string): Buffer | undefined {
  const room = Buffer.alloc(LONGEST);
  const length = Number(get(cString(path), cString(name), room, room.length));
  return length < 0 ? undefined : room.subarray(0, length);
}

export function setAttribute(path: string, name: string, value: Buffer): void {
  const result = set(cString(path), cString(name), value, value.length, 0);
  if (result < 0) throw new SystemError('lsetxattr', [path, name], lastErrno());
}

export function removeAttribute(path: string, name: string): void {
  const result = remove(cString(path), cString(name));
  if (result < 0) throw new SystemError('lremovexattr', [path, name], lastErrno());
}

const cString = (text: string): Buffer => Buffer.concat([encodeBytes(text), Buffer.of(0)]);
