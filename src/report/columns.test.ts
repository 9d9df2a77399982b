import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../base/display-width.ts';
import { sideBySide } from './columns.ts';

const column = fc.record({
  title: fc.string({ unit: 'grapheme', maxLength: 90 }),
  lines: fc.array(fc.string({ unit: 'grapheme', maxLength: 90 }), { maxLength: 6 }),
});

describe('columns', () => {
  it('stand side by side, and share the room as they need it', () => {
    const left = { title: 'left', lines: ['one', 'two'] };
    const right = { title: 'right', lines: ['a line that needs far more room than the left one'] };
    expect(sideBySide(left, right, 60)).toEqual([
      'left                 │ right',
      '─────────────────────┼─────────────────────',
      'one                  │ a line that needs far more room than',
      '                     │   the left one',
      'two                  │',
    ]);
  });

  it('stand under each other where there is no room', () => {
    const lines = sideBySide({ title: 'l', lines: ['1'] }, { title: 'r', lines: ['2'] }, 40);
    expect(lines).toEqual(['l', '  1', 'r', '  2']);
  });

  it('never need more room than there is', () => {
    fc.assert(
      fc.property(column, column, fc.integer({ min: 10, max: 200 }), (left, right, width) => {
        for (const line of sideBySide(left, right, width)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  it('say of what is very long that something is left out', () => {
    const long = { title: 'long', lines: ['x'.repeat(200)] };
    const lines = sideBySide(long, { title: '', lines: [] }, 60);
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toMatch(/^ {2}x+… │$/);
  });
});
