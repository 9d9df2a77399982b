/**
 * What was asked for, beside what was found, in the same words everywhere:
 *
 *   | what                            | asked      | found |     result |
 *   | ------------------------------- | ---------: | ----: | ---------: |
 *   | of Helgrind's slowdown          | at most .1 | 0.041 |        met |
 *   | of ThreadSanitizer's slowdown   | at most 1  | 1.210 | **missed** |
 */
import { markdownTable } from './markdown-table.ts';

export interface Asked {
  readonly what: string;
  readonly asked: string;
  readonly found: string;
  readonly isMet: boolean;
}

export const metOrMissed = (isMet: boolean): string => (isMet ? 'met' : '**missed**');

export function tellAsked(all: readonly Asked[]): void {
  const rows = all.map(({ isMet, ...row }) => ({ ...row, result: metOrMissed(isMet) }));
  if (rows.length > 0) console.log(`\n${markdownTable(rows)}\n`);
}
