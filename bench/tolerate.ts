/**
 * What isolation keeps out, what it leaves as it is, and what it costs.
 *
 *   stress     the three programs of ToleRace's section 4.4.3, and how often what a section found there was not its
 *              own, natively and isolated. Asked: thousands, and none in 100 million sections
 *   correct    programs that keep to their locks: in how many of 1,000 runs each they print what they print natively.
 *              Asked: all
 *   section    what a section costs that nobody else wants to enter, by how many words it changes, and by
 *              deadheat/tolerate.h. Asked: at most 150 ns over native with 8 words
 *   programs   time divided by the native one of the same round, of four programs that compute, with the share of
 *              their instructions that lies in sections; beside them two that spend much of it there. Asked: 1.10 on
 *              average
 *
 * `npm run bench -- tolerate stress` measures only that; further words choose rows, and a number says how many sections,
 * runs or rounds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosen } from './measure.ts';
import { correct } from './tolerate-correct.ts';
import { programs } from './tolerate-programs.ts';
import { section } from './tolerate-section.ts';
import { stress } from './tolerate-stress.ts';

/** `words`: which rows, and how many. */
type Part = (folder: string, words: readonly string[]) => void | Promise<void>;

const PARTS: Readonly<Record<string, Part>> = { stress, correct, section, programs };

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const parts = chosen(Object.keys(PARTS), words);
  const rows = words.filter((word) => !(word in PARTS));
  try {
    for (const part of parts) await PARTS[part]!(folder, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
