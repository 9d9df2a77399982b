/** What a critical section costs more that nobody else wants to enter: the least of several runs, taken in turn. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { metOrMissed } from './asked.ts';
import { markdownTable } from './markdown-table.ts';
import { roundsIn } from './sampled-work.ts';
import { printed, tolerating } from './tolerated.ts';
import { compileProgram } from './traced-programs.ts';

const ROUNDS = 5;
const ASKED_NS = 150;

export function section(folder: string, words: readonly string[]): void {
  const program = compileProgram('section-costs', folder);
  const ways: Readonly<Record<string, readonly string[]>> = {
    native: [program],
    isolated: [...tolerating(folder), program],
    header: [program, 'header'],
  };
  const least = new Map<string, number>();
  for (let round = roundsIn(words, ROUNDS); round > 0; round--) {
    for (const [way, command] of Object.entries(ways)) {
      for (const [count, ns] of costsIn(printed(command, folder))) {
        const key = `${way} ${count}`;
        least.set(key, Math.min(ns, least.get(key) ?? ns));
      }
      rmSync(join(folder, 'run'), { recursive: true, force: true });
    }
  }
  const rows = ['1', '2', '4', '8'].map((count) => {
    const [native, isolated, header] = ['native', 'isolated', 'header'].map(
      (way) => least.get(`${way} ${count}`)!,
    ) as [number, number, number];
    return {
      words: count,
      'native ns': native.toFixed(1),
      'isolated ns': isolated.toFixed(1),
      more: (isolated - native).toFixed(1),
      'by the header, more': (header - native).toFixed(1),
      [`asked ${ASKED_NS}`]: metOrMissed(isolated - native <= ASKED_NS),
    };
  });
  console.log(markdownTable(rows));
}

const costsIn = (output: string): (readonly [string, number])[] =>
  output
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([count = '', ns]) => [count, Number(ns)] as const);
