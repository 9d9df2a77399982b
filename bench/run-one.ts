/**
 * One benchmark in a process of its own, so that its memory is its own, and its failure nobody else's:
 *
 *   node run-one.js FILE COMPARISONS [WORD…]
 *
 * What it prints is its result; comparisons, which are drawn as well, go into a file.
 */
import { writeFileSync } from 'node:fs';
import { takeComparisons } from './comparison.ts';

const [, , file = '', comparisons = '', ...words] = process.argv;
const { run } = (await import(`./${file}.js`)) as {
  run: (words: readonly string[]) => void | Promise<void>;
};
try {
  await run(words);
} finally {
  writeFileSync(comparisons, JSON.stringify(takeComparisons()));
}
