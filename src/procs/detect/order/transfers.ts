/**
 * Which calls move bytes, from which of their files into which, and how much of that is known from
 * their results.
 */
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { typeOf } from '../../model/file-type.ts';

export interface Transfer {
  from?: KernelFile | undefined;
  into?: KernelFile | undefined;
  /** The result is a number of bytes. */
  countsBytes: boolean;
  /** It left the bytes where they were. */
  peeks: boolean;
  /** It asked for something, so that a result of 0 means that there is no more. */
  asks: boolean;
}

/** Source: <linux/socket.h>. */
const MSG_PEEK = 2;

const READS = new Set(['read', 'readv', 'preadv2']);
const RECEIVES = new Set(['recvfrom', 'recvmsg', 'recvmmsg']);
const WRITES = new Set([
  'write',
  'writev',
  'pwritev2',
  'sendto',
  'sendmsg',
  'sendmmsg',
  'vmsplice',
]);
/** From the first of their files into the second. */
const COPIES = new Set(['splice', 'tee']);

/** undefined for calls that move none, or none through streams: those are most calls. */
export function transferOf(call: CallRecord, name: string): Transfer | undefined {
  const { file, file2, args } = call;
  if (!isStream(file) && !isStream(file2)) return undefined;
  const plain = { countsBytes: true, peeks: false, asks: true };
  if (READS.has(name)) return { ...plain, from: file, asks: name !== 'read' || args[2] !== 0 };
  if (WRITES.has(name)) return { ...plain, into: file, countsBytes: name !== 'sendmmsg' };
  if (RECEIVES.has(name)) {
    const flags = (name === 'recvmsg' ? args[2] : args[3]) ?? 0;
    return {
      ...plain,
      from: file,
      countsBytes: name !== 'recvmmsg',
      peeks: (flags & MSG_PEEK) !== 0,
    };
  }
  if (COPIES.has(name)) return { ...plain, from: file, into: file2, peeks: name === 'tee' };
  if (name === 'sendfile') return { ...plain, from: file2, into: file };
  return undefined;
}

/** Whether bytes that go into it come out of it again, or are gone: it is no file with contents. */
export function isStream(file: KernelFile | undefined): boolean {
  if (!file) return false;
  const type = typeOf(file);
  return type !== 'file' && type !== 'directory' && type !== 'link';
}
