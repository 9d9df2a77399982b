import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, cutInside, displayWidth, padded, wrapped } from './display-width.ts';

describe('the width of text', () => {
  it('is that of a terminal', () => {
    expect(displayWidth('make -j4')).toBe(8);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('🏁 a')).toBe(4);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('✔ │ ─')).toBe(5);
    expect(padded('日', 4)).toBe('日  ');
  });

  it('is kept by what is cut, which says that something is left out', () => {
    expect(cut('openat', 6)).toBe('openat');
    expect(cut('openat', 5)).toBe('open…');
    expect(cut('日本語', 4)).toBe('日…');
  });
});

it('cuts out the middle, and fits', () => {
  expect(cutInside('worker writes hits at pool.c:24', 17)).toBe('worker w…ool.c:24');
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map((any) => any.replaceAll('…', '.'));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (any, width) => {
      const shown = cutInside(any, width);
      expect(displayWidth(shown)).toBeLessThanOrEqual(width);
      if (displayWidth(any) <= width) expect(shown).toBe(any);
      const [head = '', tail = ''] = shown === any ? [] : shown.split('…');
      expect([any.startsWith(head), any.endsWith(tail)]).toEqual([true, true]);
    }),
  );
});

describe('wrapped text', () => {
  it('breaks between words, and within those that are too long', () => {
    expect(wrapped('make: *** [a.o] Error 2', 10)).toEqual(['make: ***', '[a.o]', 'Error 2']);
    expect(wrapped('openat("obj/a.txt", O_WRONLY|O_CREAT)', 20, '  ')).toEqual([
      'openat("obj/a.txt",',
      '  O_WRONLY|O_CREAT)',
    ]);
    expect(wrapped('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(wrapped('  a word', 5)).toEqual(['  a', 'word']);
    expect(wrapped('', 5)).toEqual(['']);
  });

  it('fits, and loses nothing but spaces', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 90 });
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 80 }), (any, width) => {
        const lines = wrapped(any, width, '  ');
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        const without = (some: string): string => some.replaceAll(/\s/g, '');
        expect(without(lines.join(''))).toBe(without(any));
      }),
    );
  });

  it('leaves code whole where it can', () => {
    expect(wrapped('add it: `a.o: b.h` there', 14)).toEqual(['add it:', '`a.o: b.h`', 'there']);
    expect(wrapped('`a.o: b.h c.h`', 9)).toEqual(['`a.o: b.h', 'c.h`']);
  });
});
