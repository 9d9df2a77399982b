import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { tellAsked } from './asked.ts';

it('says of each thing that was asked for whether it is so', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const row = { what: 'share', asked: 'at most 1', found: '0.5' };
  tellAsked([
    { ...row, isMet: true },
    { ...row, isMet: false },
  ]);
  const [said] = log.mock.lastCall as [string];
  log.mockRestore();
  const results = said.trim().split('\n').slice(2);
  expect(results.map((line) => /(\S+) \|$/.exec(line)?.[1])).toEqual(['met', '**missed**']);
});

it('is said in the same words by every benchmark', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => /(?<!\.test)\.ts$/.test(file));
  for (const file of files) {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    expect(text, file).not.toMatch(/'(MISSED|NOT MET|not met|\*\*no\*\*)'/);
  }
});
