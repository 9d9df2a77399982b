/** mknod(2): fifos, sockets, devices. */
import { encodeBytes } from '../base/bytes.ts';
import { lastErrno, libcFunction } from './libc.ts';
import { SystemError } from './system-error.ts';

const mknod = libcFunction('int mknod(const uint8_t *path, uint32_t mode, uint64_t device)');

/** `mode` holds the type of the file too. */
export function makeSpecialFile(path: string, mode: number, device: bigint): void {
  const result = mknod(Buffer.concat([encodeBytes(path), Buffer.of(0)]), mode, device);
  if (result < 0) throw new SystemError('mknod', [path, mode, device], lastErrno());
}
