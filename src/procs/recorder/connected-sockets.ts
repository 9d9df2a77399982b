/**
 * The sockets that the program has connected to an internet address. Who answers there may be outside of the
 * program, and not be there when it runs again; so what goes through them is kept, up to a limit:
 *
 *   connect(3, 127.0.0.1:80) = 0      from now on, 64 KiB each way
 *   write(3, …) = 18                  18 bytes are kept
 *   read(3, …, 100000) = 100000       65536 bytes are kept, and none of what comes behind them
 *
 * Whether the other end is in the program after all is found out later; the limits are what keeps a
 * program cheap that talks a lot to itself.
 */
import { encodeBytes } from '../../base/bytes.ts';
import { errnoNumber } from '../../linux/errno.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { typeOf } from '../model/file-type.ts';

/** Through one socket, each way; and through all of them. */
export const MOST_OF_SOCKET = 64 << 10;
export const MOST_OF_ALL_SOCKETS = 8 << 20;
/** Source: <linux/socket.h>. */
export const INTERNET_FAMILIES: readonly number[] = [2, 10];

const CONNECT = syscallNumber('connect');
const EINPROGRESS = errnoNumber('EINPROGRESS') ?? 0;
/** What connect(2) says when a connection is there, or is on its way. */
export const CONNECTING_RESULTS: readonly number[] = [0, -EINPROGRESS];

export type Direction = 'received' | 'sent';

export class ConnectedSockets {
  /** By inode. */
  readonly #left = new Map<number, Record<Direction, number>>();
  #bytes = 0;

  note({ number, result, file, data }: CallRecord): void {
    if (number !== CONNECT || !CONNECTING_RESULTS.includes(result)) return;
    const address = encodeBytes(data ?? '');
    if (!isSocket(file) || address.length < 2 || this.#left.has(file.inode)) return;
    if (!INTERNET_FAMILIES.includes(address.readUInt16LE(0))) return;
    this.#left.set(file.inode, { received: MOST_OF_SOCKET, sent: MOST_OF_SOCKET });
  }

  /** How much is to be kept of so many bytes. */
  take(file: KernelFile | undefined, direction: Direction, bytes: number): number {
    const left = isSocket(file) ? this.#left.get(file.inode) : undefined;
    const kept = Math.min(bytes, left?.[direction] ?? 0);
    if (!left || kept <= 0 || this.#bytes + kept > MOST_OF_ALL_SOCKETS) return 0;
    left[direction] -= kept;
    this.#bytes += kept;
    return kept;
  }
}

const isSocket = (file: KernelFile | undefined): file is KernelFile =>
  file !== undefined && typeOf(file) === 'socket';
