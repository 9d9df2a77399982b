import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellLine } from './shell-line.ts';

it('quotes what needs it', () => {
  expect(shellLine(['sh', '-c', 'echo a > x; cat x'])).toBe("sh -c 'echo a > x; cat x'");
  expect(shellLine(['make', '-j4', 'CC=gcc', ''])).toBe("make -j4 CC=gcc ''");
});

it('is what a shell makes the same words of', () => {
  const unit = fc.constantFrom(...' \n\t\'"\\$`*?[]{}()<>|&;!#~=-aé'.split(''));
  const words = fc.array(fc.string({ unit }), { maxLength: 5 });
  fc.assert(
    fc.property(words, (any) => {
      const script = `printf '%s\\0' - ${shellLine(any)}`;
      const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
      expect(stdout.split('\0')).toEqual(['-', ...any, '']);
    }),
    { numRuns: 30 },
  );
});
