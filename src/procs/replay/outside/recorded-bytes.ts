/** The bytes that were kept of a call: they are in records of their own, before the call's. */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Tid } from '../../../linux/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';

export class RecordedBytes {
  readonly #pieces = new Map<Tid, { socket: number; bytes: Buffer }[]>();

  note(record: TraceRecord): void {
    if (record.kind !== 'received' && record.kind !== 'sent') return;
    const pieces = this.#pieces.get(record.tid) ?? [];
    pieces.push({ socket: record.socket, bytes: encodeBytes(record.data) });
    this.#pieces.set(record.tid, pieces);
  }

  take({ tid }: CallRecord, { inode }: KernelFile): Buffer {
    const pieces = this.#pieces.get(tid) ?? [];
    this.#pieces.delete(tid);
    return Buffer.concat(pieces.filter(({ socket }) => socket === inode).map(({ bytes }) => bytes));
  }
}
