/**
 * What was asked for, beside what was found:
 *
 *   | what                            | asked      | found | met |
 *   | ------------------------------- | ---------: | ----: | --: |
 *   | of Helgrind's slowdown          | at most .1 | 0.041 | yes |
 */
import { markdownTable } from './markdown-table.ts';

export interface Asked {
  readonly what: string;
  readonly asked: string;
  readonly found: string;
  readonly isMet: boolean;
}

export function tellAsked(all: readonly Asked[]): void {
  const rows = all.map(({ isMet, ...row }) => ({ ...row, met: isMet ? 'yes' : '**no**' }));
  if (rows.length > 0) console.log(`\n${markdownTable(rows)}\n`);
}
