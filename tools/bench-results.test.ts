import { describe, expect, it } from 'vitest';
import { blocks } from './bench-results.mjs';

describe('what a benchmark prints, as Markdown', () => {
  it('has tables as they are, apart from what stands around them', () => {
    const table = '| a | b |\n| - | - |\n| 1 | 2 |';
    expect(blocks(`before\n${table}\nafter\n\n${table}\n`)).toBe(
      `before\n\n${table}\n\nafter\n\n${table}`,
    );
  });

  it('has sentences as such, each on its own', () => {
    expect(blocks('  one: met\n  two: missed\n\nAll done.')).toBe(
      '- one: met\n- two: missed\n\nAll done.',
    );
  });

  it('keeps columns together', () => {
    const columns = 'calls  seconds\n  100      0.1';
    expect(blocks(`${columns}\n`)).toBe(`\`\`\`\n${columns}\n\`\`\``);
  });
});
