/** What is printed is read back as it was, and mistakes are told with their places. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expression, Field, Process, Script, SetExpression } from '../algebra/script.ts';
import { parseCspm } from './parser.ts';
import { printCspm } from './printer.ts';

/** Names that are always there, so that any script made of them makes sense. */
const fixed: Script = [
  { kind: 'datatype', name: 'Thread', constants: ['T1', "T2'"] },
  { kind: 'set', name: 'some', value: { kind: 'list', items: [] } },
  { kind: 'channel', names: ['done'], types: [] },
  {
    kind: 'channel',
    names: ['lock', 'unlock'],
    types: [{ kind: 'named', name: 'Thread' }, range(0, 9)],
  },
  { kind: 'process', name: 'P', parameters: [], body: { kind: 'stop' } },
  { kind: 'process', name: 'Q', parameters: ['x', 'y'], body: { kind: 'skip' } },
];

function range(from: number, to: number): SetExpression {
  return {
    kind: 'range',
    from: { kind: 'number', value: from },
    to: { kind: 'number', value: to },
  };
}

const name = fc.constantFrom('T1', "T2'", 'x', 'lock');
const expression: fc.Arbitrary<Expression> = fc.letrec<{ all: Expression }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('name' as const), name }),
    fc.record({ kind: fc.constant('number' as const), value: fc.nat() }),
    fc.record({
      kind: fc.constant('sum' as const),
      left: tie('all'),
      sign: fc.constantFrom('+' as const, '-' as const),
      right: tie('all'),
    }),
    fc.record({
      kind: fc.constant('dotted' as const),
      parts: fc.array(tie('all'), { minLength: 2, maxLength: 3 }),
    }),
  ),
})).all;
const set: fc.Arbitrary<SetExpression> = fc.letrec<{ all: SetExpression }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('named' as const),
      name: fc.constantFrom('Thread', 'Events', 'some'),
    }),
    fc.record({
      kind: fc.constantFrom('list' as const, 'closure' as const),
      items: fc.array(expression, { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('range' as const), from: expression, to: expression }),
    fc.record({
      kind: fc.constantFrom('union' as const, 'difference' as const),
      left: tie('all'),
      right: tie('all'),
    }),
  ),
})).all;
const field: fc.Arbitrary<Field> = fc.oneof(
  fc.record({ kind: fc.constant('value' as const), value: expression }),
  fc.record({
    kind: fc.constant('input' as const),
    name: fc.constantFrom('x', 'z'),
    set: fc.option(set, { nil: undefined }),
  }),
);
const process: fc.Arbitrary<Process> = fc.letrec<{ all: Process }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Process>(
      { kind: 'stop' },
      { kind: 'skip' },
      { kind: 'call', name: 'P', arguments: [] },
    ),
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constant('Q'),
      arguments: fc.array(expression, { minLength: 2, maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant('prefix' as const),
      head: fc.constant('lock'),
      fields: fc.array(field, { minLength: 2, maxLength: 2 }),
      rest: tie('all'),
    }),
    fc.record({
      kind: fc.constant('prefix' as const),
      head: fc.constantFrom('x', 'done'),
      fields: fc.constant([]),
      rest: tie('all'),
    }),
    fc.record({
      kind: fc.constant('guard' as const),
      condition: fc.record({
        relation: fc.constantFrom('==' as const, '!=' as const),
        left: expression,
        right: expression,
      }),
      rest: tie('all'),
    }),
    fc.record({
      kind: fc.constantFrom(
        'choice' as const,
        'interleave' as const,
        'interrupt' as const,
        'sequence' as const,
      ),
      left: tie('all'),
      right: tie('all'),
    }),
    fc.record({
      kind: fc.constant('parallel' as const),
      left: tie('all'),
      shared: set,
      right: tie('all'),
    }),
    fc.record({ kind: fc.constant('hide' as const), process: tie('all'), hidden: set }),
    fc.record({
      kind: fc.constant('replicated' as const),
      operator: fc.oneof(
        fc.record({ kind: fc.constantFrom('choice' as const, 'interleave' as const) }),
        fc.record({ kind: fc.constant('parallel' as const), shared: set }),
      ),
      name: fc.constant('x'),
      over: set,
      body: tie('all'),
    }),
  ),
})).all;

describe('printing and reading', () => {
  it('gives back any script', () => {
    fc.assert(
      fc.property(process, process, (body, other) => {
        const script: Script = [
          ...fixed,
          { kind: 'process', name: 'R', parameters: ['x'], body },
          // `x` is free here: it has to be bound around.
          {
            kind: 'assert',
            specification: { kind: 'stop' },
            implementation: {
              kind: 'replicated',
              operator: { kind: 'choice' },
              name: 'x',
              over: { kind: 'named', name: 'Thread' },
              body: other,
            },
          },
        ];
        expect(parseCspm(printCspm(script))).toEqual({ ok: true, value: script });
      }),
      { numRuns: 500 },
    );
  });

  it('is what people would write', () => {
    const text = [
      'datatype Thread = T1 | T2',
      'channel race',
      'channel lock, unlock : Thread.{0..2}',
      'MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)',
      'PAIR = MUTEX(0) ||| MUTEX(1) [| {| lock.T1 |} |] MUTEX(2)',
      'CHECK = MUTEX(0) /\\ race -> STOP [] ([] x : {race} @ x -> SKIP) \\ diff(Events, {race})',
      'assert STOP [T= CHECK',
      '',
    ].join('\n');
    const parsed = parseCspm(text);
    expect(parsed.ok && printCspm(parsed.value)).toBe(text);
  });

  it('does not look at comments', () => {
    expect(parseCspm('-- a\nP = {- b\n c -} STOP -- d')).toEqual({
      ok: true,
      value: [{ kind: 'process', name: 'P', parameters: [], body: { kind: 'stop' } }],
    });
  });
});

describe('mistakes', () => {
  it.each([
    ['P = ', 1, 5, 'a process is missing: the text ends'],
    ['P = Q', 1, 5, 'there is no process Q'],
    ['P(x) = STOP\nQ = P', 2, 5, 'P takes 1 values, not 0'],
    ['channel a\nP = STOP\n  [] a.1 -> STOP', 3, 6, 'events of a have 0 fields, not 1'],
    ['P = a -> STOP', 1, 5, 'there is no channel a'],
    ['channel a : {0..1}\nP = a.x -> STOP', 2, 7, 'nothing is called x'],
    ['channel a : T', 1, 13, 'there is no set T'],
    ['P = STOP\nP = SKIP', 2, 1, 'P was defined before'],
    ['P = STOP [| {} STOP', 1, 16, "'|]' is missing: here is 'STOP'"],
    [
      'P = STOP [| {} |] STOP [| {} |] STOP',
      1,
      24,
      "parentheses are missing: here is a second '[|'",
    ],
    [
      'channel a : {0..1}.{0..1}\nP = a?x.x -> STOP',
      2,
      8,
      "'!' is missing: '?x.' would take in what follows too",
    ],
    ['P = (STOP', 1, 10, "')' is missing: the text ends"],
    ['P = STOP $', 1, 10, "no word begins with '$'"],
    ['{- P = STOP', 1, 1, 'this comment does not end'],
    ['channel a : {0..1234567890123456}', 1, 17, 'this number is too long'],
    ['assert STOP [= STOP', 1, 13, "no word begins with '['"],
    ['STOP = SKIP', 1, 1, "a definition is missing: here is 'STOP'"],
  ])('%j', (text, line, column, message) => {
    const result = parseCspm(text);
    expect(
      result.ok ? undefined : { ...result.error, message: result.error.message },
    ).toMatchObject({
      line,
      column,
      message,
    });
  });

  it('are never more than that, whatever the text', () => {
    const words = fc.constantFrom(
      'P',
      'STOP',
      '[]',
      '->',
      '(',
      ')',
      '[|',
      '|]',
      '{',
      '}',
      '=',
      '?',
      '.',
      ' ',
      '\n',
      '==',
      'x',
      '1',
      '&',
      '@',
      ':',
      'channel',
      'assert',
      '[T=',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (some) => {
        const text = some.join(' ');
        const result = parseCspm(text);
        if (result.ok) return;
        expect(result.error.line).toBeLessThanOrEqual(text.split('\n').length);
      }),
      { numRuns: 500 },
    );
  });
});
