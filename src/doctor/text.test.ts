import fc from 'fast-check';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { Examined } from './doctor.ts';
import { toJson } from './json.ts';
import { type Finding, limited, missing, works } from './probe.ts';
import { toText, wrap } from './text.ts';

const plain = pc.createColors(false);

const examined = (name: string, finding: Finding, essential = false): Examined => ({
  probe: { name, usedBy: 'watch', needed: 'something', essential, run: () => finding },
  finding,
});

const SAMPLE = [
  examined('ptrace', works('it works'), true),
  examined('perf', limited('not all of it', 'set it: `sudo sysctl a=1`')),
  examined('a longer name', missing('nothing', 'buy one')),
];

describe('doctor as text', () => {
  it('is aligned and readable without colour', () => {
    expect(toText(SAMPLE, plain, 72)).toBe(
      [
        '✔ ok       ptrace         found   it works',
        '                          needed  something; used by watch',
        '! limited  perf           found   not all of it',
        '                          needed  something; used by watch',
        '                          remedy  set it: `sudo sysctl a=1`',
        '✘ missing  a longer name  found   nothing',
        '                          needed  something; used by watch',
        '                          remedy  buy one',
        '',
        '1 ok, 1 limited, 1 missing',
        '',
      ].join('\n'),
    );
  });

  it('is the same text with colours, but for the colours', () => {
    const colored = toText(SAMPLE, pc.createColors(true), 72);
    expect(colored).toContain(pc.createColors(true).red('✘ missing'));
    const colorCode = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    expect(colored.replaceAll(colorCode, '')).toBe(toText(SAMPLE, plain, 72));
  });

  it('names an essential thing that is missing', () => {
    const text = toText([examined('ptrace', missing('no', 'mend it'), true)], plain);
    expect(text).toContain('1 missing; deadheat cannot work without: ptrace');
  });

  it('shows control characters from other programs as text', () => {
    const text = toText([examined('cc', works('a\x1b[31mb\nc'))], plain);
    expect(text).toContain('a\\x1b[31mb c');
  });
});

describe('wrap', () => {
  it('keeps the words, and lines within the width unless one word is wider', () => {
    const words = fc.array(fc.stringMatching(/^[a-z`]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 30 }), (list, room) => {
        const lines = wrap(list.join(' '), room);
        expect(lines.join(' ')).toBe(list.join(' '));
        for (const line of lines) {
          const isOneWord = !line.replaceAll(/`[^`]*`/g, '').includes(' ');
          expect(line.length <= room || isOneWord).toBe(true);
        }
      }),
    );
  });

  it('never breaks a command', () => {
    expect(wrap('run `a b c d` now', 6)).toEqual(['run', '`a b c d`', 'now']);
  });
});

describe('doctor as JSON', () => {
  it('has everything a script needs', () => {
    expect(toJson(SAMPLE)).toMatchObject({
      schema: 1,
      probes: [
        { name: 'ptrace', essential: true, status: 'ok', found: 'it works' },
        { status: 'limited', remedy: 'set it: `sudo sysctl a=1`', essential: false },
        { status: 'missing', needed: 'something', usedBy: 'watch' },
      ],
    });
    expect(toJson(SAMPLE).probes[0]).not.toHaveProperty('remedy');
  });
});
