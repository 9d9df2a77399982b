/**
 * Both sides of a race that was caught, or put together from samples: who, what and where.
 *
 *   A thread 71 of server (pid 70) │ B thread 72 of server (pid 70)
 *   ───────────────────────────────┼───────────────────────────────
 *   store of 4 bytes at 0x563048   │ load of 4 bytes at 0x563048
 *     add_job queue.c:41           │   report progress.c:12
 *
 *   → thread 71 stored 4 bytes at jobs_done while thread 72 stood before its load
 */
import { wrapped } from '../../base/display-width.ts';
import { printable } from '../../base/printable.ts';
import { sidesOf } from '../both-orders.ts';
import { type Column, sideBySide } from '../columns.ts';
import type { Race } from '../model.ts';
import { accessorName } from '../wording.ts';
import { placeLines } from './short-places.ts';

export function bothSides(race: Race, width: number): string[] {
  const [left, right] = sidesOf(race).map(
    ({ letter, access }): Column => ({
      title: `${letter} ${accessorName(race, access)}`,
      lines: [printable(`${access.op} of ${access.what}`), ...placeLines(access)],
    }),
  );
  return [...sideBySide(left!, right!, width), ...evidenceLines(race, width)];
}

/** What shows the race, in its first line. */
export function evidenceLines({ evidence = '' }: Race, width: number): string[] {
  const [first = ''] = evidence.split('\n');
  return first === '' ? [] : ['', ...wrapped(`→ ${printable(first)}`, width, '  ')];
}
