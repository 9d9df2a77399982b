/**
 * Events on disk: each column as planes of bytes, the lowest bytes of all its numbers first, then the
 * next higher ones, and so on up to the last that are not all zero. Three events
 *
 *   thread 0 write  variable 0x102 site 7         planes  1 1 2 1
 *   thread 1 write  variable 0x103 site 7    →    00 01 00 | 01 01 00 | 02 03 02  01 01 01 | 07 07 08
 *   thread 0 read   variable 0x102 site 8
 *
 * The high planes of numbers that resemble each other are runs of the same byte, which compression
 * nearly removes; and there is no decision in the loops over them, which makes them quick.
 */
import { intact } from '../../trace/damage.ts';
import type { EventColumns } from '../model/event-columns.ts';
import { EVENTS_PER_CHUNK } from '../model/event-columns.ts';
import { NONE, opCount, targetKinds } from '../model/op.ts';
import type { TraceTables } from '../model/tables.ts';

const columnCount = 4;

export function encodeEvents({ count, threads, ops, targets, sites }: EventColumns): Buffer {
  const columns = [threads, ops, targets, sites].map((column) => column.subarray(0, count));
  const planes = columns.map(planesOf);
  const total = planes.reduce((sum, some) => sum + some, 0);
  const bytes = Buffer.allocUnsafe(columnCount + total * count);
  bytes.set(planes);
  let at = columnCount;
  for (const [i, column] of columns.entries()) {
    for (let plane = 0; plane < planes[i]!; plane++) {
      spread(column, plane * 8, bytes.subarray(at, at + count));
      at += count;
    }
  }
  return bytes;
}

/** Puts them in the place of what `events` held before. */
export function decodeEvents(
  bytes: Buffer,
  count: number,
  tables: TraceTables,
  events: EventColumns,
): void {
  intact(count > 0 && count <= EVENTS_PER_CHUNK, `its ${count} events are impossible`);
  intact(bytes.length >= columnCount, 'events that are cut short');
  const planes = bytes.subarray(0, columnCount);
  const total = planes.reduce((sum, some) => sum + some, 0);
  intact(
    planes.every((some) => some <= 4) && planes[1]! <= 1,
    'numbers of an impossible number of bytes',
  );
  intact(bytes.length === columnCount + total * count, 'events without the length of their chunk');
  events.count = count;
  let at = columnCount;
  for (const [i, column] of [events.threads, events.ops, events.targets, events.sites].entries()) {
    column.fill(0, 0, count);
    for (let plane = 0; plane < planes[i]!; plane++) {
      gather(bytes.subarray(at, at + count), plane * 8, column);
      at += count;
    }
  }
  check(events, tables);
}

/** After this, an event's numbers can be looked up without a second thought. */
function check({ count, threads, ops, targets, sites }: EventColumns, tables: TraceTables): void {
  const counts = tables.targetCounts;
  const targetLimits = Uint32Array.from(targetKinds, (kind) => counts[kind]);
  const threadLimit = tables.threads.count;
  const siteLimit = tables.sites.count;
  for (let i = 0; i < count; i++) {
    const op = ops[i]!;
    intact(op < opCount, 'an event of an unknown kind');
    intact(threads[i]! < threadLimit, 'an event of an unknown thread');
    intact(targets[i]! < targetLimits[op]!, 'an event that points to nothing');
    intact(sites[i]! < siteLimit || sites[i] === NONE, 'an event at an unknown place');
  }
}

/** How many bytes the largest number needs. */
function planesOf(column: Uint32Array | Uint8Array): number {
  let all = 0;
  for (let i = 0; i < column.length; i++) all |= column[i]!;
  return (39 - Math.clz32(all)) >> 3;
}

function spread(column: Uint32Array | Uint8Array, shift: number, plane: Uint8Array): void {
  for (let i = 0; i < plane.length; i++) plane[i] = column[i]! >>> shift;
}

function gather(plane: Uint8Array, shift: number, column: Uint32Array | Uint8Array): void {
  for (let i = 0; i < plane.length; i++) column[i]! |= plane[i]! << shift;
}
