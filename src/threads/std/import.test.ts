import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../base/user-error.ts';
import { ThreadTrace } from '../model/trace.ts';
import { ByteNames, firstHash, nextHash } from './byte-names.ts';
import { importStd } from './import.ts';
import { NumberNames } from './number-names.ts';
import { namedEvents } from './testdata/random-trace.ts';

const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-std-import-'));
const file = join(folder, 'trace.std');
afterAll(() => fs.rmSync(folder, { recursive: true }));

function read(text: string | Buffer, pieceLength?: number): string[] {
  fs.writeFileSync(file, text);
  const trace = new ThreadTrace();
  importStd(file, trace, pieceLength);
  return namedEvents(trace);
}

function complaint(text: string | Buffer): string {
  try {
    read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).remedy).not.toBe('');
    return (error as UserError).message.replace(file, 'FILE');
  }
  throw new Error('it was accepted');
}

describe('an STD file', () => {
  const plain =
    'T0|fork(T1)|1\nT0|w(V234.23[0])|2\nT1|begin(T1)|3\nT1|acq(L)|4\nT1|rel(L)|5\nT1|end(T1)|6\nT0|join(T1)|7\n';
  const events = read(plain);

  it('has an event in each line', () => {
    expect(events).toEqual([
      'T0 20 T1 1',
      'T0 1 V234.23[0] 2',
      'T1 22 T1 3',
      'T1 5 L 4',
      'T1 6 L 5',
      'T1 23 T1 6',
      'T0 21 T1 7',
    ]);
  });

  it.each([
    ['lines that end as on Windows', plain.replaceAll('\n', '\r\n')],
    ['no newline at its end', plain.trimEnd()],
    ['empty and blank lines', `\n\n${plain.replaceAll('\n', '\n\n \t\n')}\r\n`],
    ['comments', `# which says nothing\n${plain}#`],
    ['a byte order mark', `\ufeff${plain}`],
    ['begin and end without parentheses', plain.replaceAll(/(begin|end)\(T1\)/g, '$1')],
    ['begin and end with empty ones', plain.replaceAll(/(begin|end)\(T1\)/g, '$1()')],
    ['numbers with zeros in front', plain.replaceAll(/\|(\d)$/gm, '|00$1')],
  ])('may have %s', (_, text) => {
    expect(read(text)).toEqual(events);
  });

  it('may have pieces that end anywhere', () => {
    const text = `\ufeff${plain.replaceAll('\n', '\r\n')}`;
    for (let length = 24; length < text.length + 5; length++) {
      expect(read(text, length)).toEqual(events);
    }
  });

  it('may be empty, or all of it comments', () => {
    expect(read('')).toEqual([]);
    expect(read('# nothing\n#')).toEqual([]);
  });

  it('may have names that are not UTF-8, and places below zero', () => {
    expect(read(Buffer.from('T\xe9|r(x)|-3\n', 'latin1'))).toEqual(['T\udce9 0 x -3']);
  });

  it.each([
    ['a holder that acquires again', 'T|acq(L)|1\nT|acq(L)|1\nT|rel(L)|1\nT|rel(L)|1'],
    ['locks that are held at the end', 'T|acq(L)|1\nT|end|2\nU|r(x)|3'],
    ['a thread that nobody forked', 'T|r(x)|1\nU|r(x)|1'],
    ['an end that comes after the join', 'T|fork(U)|1\nU|r(x)|1\nT|join(U)|1\nU|end|2'],
    ['a thread that is joined twice, or was never seen', 'T|join(U)|1\nV|join(U)|1'],
  ])('may have %s', (_, text) => {
    expect(read(text)).toHaveLength(text.split('\n').length);
  });
});

describe('a mistake in an STD file is told with line and column', () => {
  it.each([
    ['T0', "FILE:1:3: '|' after the thread is missing: the line ends"],
    ['|r(x)|1', "FILE:1:1: the name of a thread is missing: here is '|r(x)|1'"],
    ['T0|r(x)|1\n\nT0 |r(x)|1', "FILE:3:3: '|' after the thread is missing: here is ' |r(x)|1'"],
    ['T0|x(y)|1', 'FILE:1:4: one of r, w, acq, rel, fork, join, begin, end is missing: here is'],
    ['T0|R(y)|1', 'FILE:1:4: one of r, w,'],
    ['T0|acquire(y)|1', 'FILE:1:4: one of r, w,'],
    ['T0|r|1', "FILE:1:5: '(' and what it is done to is missing: here is '|1'"],
    ['T0|r()|1', "FILE:1:6: the name of a variable is missing: here is ')|1'"],
    ['T0|acq()|1', 'FILE:1:8: the name of a lock is missing'],
    ['T0|fork()|1', 'FILE:1:9: the name of a thread is missing'],
    ['T0|r(x|1', "FILE:1:7: ')' is missing: here is '|1'"],
    ['T0|r(x)', "FILE:1:8: '|' after the operation is missing: the line ends"],
    ['T0|r(x)|', 'FILE:1:9: a number for the place in the program is missing: the line ends'],
    [
      'T0|r(x)|a.c:7',
      "FILE:1:9: a number for the place in the program is missing: here is 'a.c:7'",
    ],
    ['T0|r(x)|7 ', "FILE:1:10: the end of the line is missing: here is ' '"],
    ['T0|r(x)|1234567890123456', 'FILE:1:9: this number is too long'],
    ['T0|r(x)|1\nT0|rel(L)|2', 'FILE:2:8: L is released, but nobody holds it'],
    ['A|acq(L)|1\nA|rel(L)|1\nA|rel(L)|2', 'FILE:3:7: L is released, but nobody holds it'],
    ['A|acq(L)|1\nB|rel(L)|2', 'FILE:2:7: L is held by A since line 1'],
    ['#\nA|acq(L)|1\nB|acq(L)|2', 'FILE:3:7: L is held by A since line 2'],
    ['A|fork(A)|1', 'FILE:1:8: A forks itself'],
    ['A|join(A)|1', 'FILE:1:8: A joins itself'],
    ['A|fork(B)|1\nA|fork(B)|1', 'FILE:2:8: B was forked in line 1'],
    ['B|r(x)|1\nA|fork(B)|1', 'FILE:2:8: B is forked, but has run since line 1'],
    ['A|join(B)|1\nA|fork(B)|1', 'FILE:2:8: B was joined in line 1'],
    ['A|end|1\nA|r(x)|1', 'FILE:2:1: A has ended in line 1'],
    ['A|end|1\nA|end|1', 'FILE:2:1: A has ended in line 1'],
    ['A|join(B)|1\nB|r(x)|1', 'FILE:2:1: B was joined in line 1'],
    ['A|r(x)|1\nA|begin|1', 'FILE:2:1: A begins, but has run since line 1'],
    ['T0|r(\x1b[2J)|1', "FILE:1:6: the name of a variable is missing: here is '\\x1b[2J)|1'"],
    [`T0|r(${'x'.repeat(2 ** 20)})|1`, 'FILE:1:1: a line of more than 1048576 bytes'],
  ])('%#', (text, message) => {
    expect(complaint(text)).toContain(message);
  });

  it('whatever the file is', () => {
    const binary = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const nearly = fc
      .array(fc.constantFrom('T0', '|', '(', ')', 'r', 'acq', 'rel', 'fork', 'x', '1', '\n', ' '))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(binary, nearly), (text) => {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('or that there is none', () => {
    const none = join(folder, 'none');
    expect(() => importStd(none, new ThreadTrace())).toThrow(/cannot read '.*none' \(ENOENT\)/);
    expect(() => importStd(folder, new ThreadTrace())).toThrow(/\(EISDIR\)/);
  });
});

describe('names get numbers', () => {
  it('as in a Map, from bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 2000 }), (names) => {
        const table = new ByteNames();
        const map = new Map<string, number>();
        for (const name of names) {
          if (!map.has(name)) map.set(name, map.size);
          const bytes = Buffer.from(`<${name}>`);
          const [start, end] = [1, bytes.length - 1];
          const hash = bytes.subarray(start, end).reduce(nextHash, firstHash);
          const number = table.numberOf(bytes, start, end, hash);
          expect(number).toBe(map.get(name));
          expect(table.text(number)).toBe(name);
        }
        expect(table.count).toBe(map.size);
      }),
      { numRuns: 30 },
    );
  });

  it('as in a Map, even if all their hashes are the same', () => {
    const table = new ByteNames();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 500; i++) {
        const bytes = Buffer.from(`${i}`);
        expect(table.numberOf(bytes, 0, bytes.length, 7)).toBe(i);
      }
    }
  });

  it('as in a Map, from numbers', () => {
    const number = fc.oneof(fc.nat(300), fc.integer(), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(number, { maxLength: 2000 }), (numbers) => {
        const table = new NumberNames();
        const map = new Map<number, number>();
        for (const value of numbers) {
          if (!map.has(value)) map.set(value, map.size);
          expect(table.numberOf(value)).toBe(map.get(value));
        }
      }),
      { numRuns: 50 },
    );
  });
});
