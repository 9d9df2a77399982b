import { describe, expect, it } from 'vitest';
import { blocks, remark } from './bench-results.mjs';

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

it('says when, at which commit, on which processors and on how busy a machine something was measured', () => {
  const measured = { sources: '0a1b2c3 with changes', seconds: 300, load: 0.12, status: 0 };
  expect(remark(measured)).toMatch(
    /^_Measured on [\d-]{10} at 0a1b2c3 with changes on \d+ × .+, in 5 minutes, load before 0\.1\._$/,
  );
  expect(remark({ ...measured, status: 1 })).toMatch(/Not all of it could be measured/);
});
