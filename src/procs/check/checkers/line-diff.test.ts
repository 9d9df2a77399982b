import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const diff = (before: string, after: string): string[] =>
  lineDiff(before.split(' '), after.split(' '));

it('shows what differs and one line around it', () => {
  expect(diff('a b c d e f', 'a b X d e f')).toEqual(['@@ -2,3 +2,3 @@', ' b', '-c', '+X', ' d']);
  expect(diff('a b c', 'a c')).toEqual(['@@ -1,3 +1,2 @@', ' a', '-b', ' c']);
  expect(diff('2', '1')).toEqual(['@@ -1 +1 @@', '-2', '+1']);
  expect(lineDiff([], ['new'])).toEqual(['@@ -0,0 +1 @@', '+new']);
  expect(diff('a b', 'a b')).toEqual([]);
});

it('applied to one text, gives the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const [head = '@@ -0,0 +0,0 @@', ...lines] = lineDiff(before, after);
      const [, from = '0', count = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(head) ?? [];
      const start = Number(count) === 0 ? Number(from) : Number(from) - 1;
      const side = (sign: string): string[] =>
        lines.filter((line) => line[0] === ' ' || line[0] === sign).map((line) => line.slice(1));
      expect(side('-')).toEqual(before.slice(start, start + Number(count)));
      expect([
        ...before.slice(0, start),
        ...side('+'),
        ...before.slice(start + Number(count)),
      ]).toEqual(after);
    }),
  );
});
