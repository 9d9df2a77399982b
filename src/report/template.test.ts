import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesTemplate } from './template.ts';

/** The same language, said to JavaScript's own matcher. */
function asRegExp(template: string): RegExp {
  const [body = '', ...afterDollar] = template.replace(/^\^/, '').split('$');
  const escaped = body.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const start = template.startsWith('^') ? '^' : '';
  const end = afterDollar.length > 0 ? '$' : '';
  return new RegExp(`${start}${escaped.join('.*')}${end}`, 's');
}

describe('suppression patterns', () => {
  it('agree with a regular expression', () => {
    const template = fc.string({
      unit: fc.constantFrom('a', 'b', '*', '^', '$', '.'),
      maxLength: 8,
    });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '^', '\n'), maxLength: 8 });
    let matched = 0;
    fc.assert(
      fc.property(template, text, (template, text) => {
        const expected = text !== '' && asRegExp(template).test(text);
        if (expected) matched++;
        expect(matchesTemplate(template, text), `${template} on ${text}`).toBe(expected);
      }),
      { numRuns: 3000 },
    );
    expect(matched).toBeGreaterThan(100);
  });

  it.each([
    ['foo', 'a_foo_b', true],
    ['^foo', 'a_foo', false],
    ['foo$', 'foo_b', false],
    ['^foo*bar$', 'foo::x::bar', true],
    ['^foo*bar$', 'foobar', true],
    ['^ab*bc$', 'abc', false],
    ['^*foo', 'a_foo', true],
    ['ab$', 'abab', true],
    ['foo$ignored', 'foo', true],
    ['*', '', false],
    ['a.c', 'abc', false],
  ])('%s on %s: %s', (template, text, expected) => {
    expect(matchesTemplate(template, text)).toBe(expected);
  });
});
