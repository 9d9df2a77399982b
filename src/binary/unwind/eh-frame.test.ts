import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BadBinary } from '../byte-reader.ts';
import { type ElfFile, parseElf } from '../elf/elf-file.ts';
import { imageAddress } from '../image-address.ts';
import { compiled, toolOutput, withoutSections } from '../testdata/compiled.ts';
import { type ShownFrame, shownFrames } from '../testdata/shown-frames.ts';
import { decodeCallFrame, Opcode } from './call-frame-instructions.ts';
import { type Fde, parseEhFrame, readEhFrame } from './eh-frame.ts';
import { Encoding } from './pointer-encoding.ts';

function asShown(fde: Fde): ShownFrame {
  const { offset, start, end } = fde;
  const instructions = decodeCallFrame(fde).filter(({ opcode }) => opcode !== Opcode.nop);
  const rows: number[] = [];
  let location: number = start;
  for (const { advance, location: set } of instructions) {
    if (advance === undefined && set === undefined) continue;
    location = set ?? location + advance!;
    rows.push(location);
  }
  return { offset, start, end, rows, instructions: instructions.length };
}

/** Comparing strings is a thousand times as fast as comparing ten thousand objects. */
const text = (frames: readonly ShownFrame[]): string =>
  frames.map((frame) => JSON.stringify(frame)).join('\n');

describe('.eh_frame', () => {
  it.each(['/bin/bash', '/usr/bin/git', '/usr/bin/gdb', 'libstdc++.so.6', 'libc.so.6'])(
    'of %s is what readelf shows',
    (name) => {
      const path = name.startsWith('/')
        ? name
        : toolOutput('gcc', `-print-file-name=${name}`).trim();
      if (!existsSync(path)) return console.log(`skipped: there is no ${path}`);
      const { fdes, unreadable } = readEhFrame(parseElf(readFileSync(path)));
      const shown = shownFrames(path);
      expect(shown.length).toBeGreaterThan(1000);
      expect(fdes.length).toBe(shown.length);
      expect(text(fdes.map(asShown)) === text(shown)).toBe(true);
      expect(unreadable).toEqual([]);
    },
  );

  it.each([
    ['exceptions', 'exceptions.cc', ['-std=c++14', '-w', '-O2']],
    [
      'exceptions, not position independent',
      'exceptions.cc',
      ['-std=c++14', '-w', '-no-pie', '-fno-pie'],
    ],
    ['the large code model', 'exceptions.cc', ['-std=c++14', '-w', '-mcmodel=large', '-no-pie']],
    ['a static program', 'calls.c', ['-static']],
  ])('of compiled programs is what readelf shows: %s', (_, source, options) => {
    const path = compiled(source, ...options);
    const { fdes, unreadable } = readEhFrame(parseElf(readFileSync(path)));
    expect(fdes.map(asShown)).toEqual(shownFrames(path));
    expect(unreadable).toEqual([]);
  });

  it('is found without section headers', () => {
    const path = compiled('exceptions.cc', '-std=c++14', '-w');
    const elf = parseElf(withoutSections(path));
    expect(elf.sections).toEqual([]);
    expect(readEhFrame(elf).fdes.map(asShown)).toEqual(shownFrames(path));
  });

  it('may be missing', () => {
    const noTables = (elf: ElfFile) => readEhFrame(elf).fdes;
    const options = ['-fno-asynchronous-unwind-tables', '-nostdlib', '-static', '-Wl,-e,main'];
    const path = compiled('nothing.c', ...options);
    expect(noTables(parseElf(readFileSync(path)))).toEqual([]);
  });
});

/** Entries as 32-bit length, then the bytes. */
function table(...entries: number[][]): Uint8Array {
  return Uint8Array.from(entries.flatMap((entry) => [entry.length, 0, 0, 0, ...entry]));
}
const parse = (bytes: Uint8Array, endsAtZero = false) =>
  parseEhFrame({ bytes, address: imageAddress(0x1000), endsAtZero });
/** 17 bytes, with its length: augmentation 'zR', factors 4 and -8, register 16, addresses `encoding`. */
const cie = (encoding: number, letters = 'zR'): number[] => [
  ...[0, 0, 0, 0, 1, ...Buffer.from(letters), 0, 4, 0x78, 16, 1, encoding],
];

describe('rare forms', () => {
  it('reads other encodings of addresses', () => {
    const short = parse(table(cie(0x02), [21, 0, 0, 0, 0x34, 0x12, 0x10, 0, 0]));
    expect(short.fdes[0]).toMatchObject({ start: 0x1234, end: 0x1244 });
    const absolute = [0, 0x20, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    expect(parse(table(cie(0x00), [21, 0, 0, 0, ...absolute])).fdes[0]).toMatchObject({
      ...{ start: 0x2000, end: 0x2008 },
    });
    const leb = parse(table(cie(0x01), [21, 0, 0, 0, 0x80, 0x20, 5, 0]));
    expect(leb.fdes[0]).toMatchObject({ start: 0x1000, end: 0x1005 });
    // Relative to 0x1000 + 17 + 8, where it stands.
    const relative = parse(table(cie(0x1a), [21, 0, 0, 0, 0x10, 0, 4, 0, 0]));
    expect(relative.fdes[0]).toMatchObject({ start: 0x1000 + 17 + 8 + 16, end: 0x102d });
  });

  it('reads lengths of 64 bits', () => {
    const entry = [21 + 8, 0, 0, 0, 0x34, 0x12, 0x10, 0, 0, 0x41, 0x0e, 16];
    const long = [0xff, 0xff, 0xff, 0xff, entry.length, 0, 0, 0, 0, 0, 0, 0, ...entry];
    const { fdes } = parse(Uint8Array.from([...table(cie(0x02)), ...long]));
    expect(fdes).toHaveLength(1);
    // The advance is in units of the CIE's factor.
    expect(asShown(fdes[0]!).rows).toEqual([0x1238]);
  });

  it('goes on behind a zero only where the end is known', () => {
    const bytes = table(cie(0x02), [], [25, 0, 0, 0, 0x34, 0x12, 0x10, 0, 0]);
    expect(parse(bytes).fdes).toHaveLength(1);
    expect(parse(bytes, true).fdes).toHaveLength(0);
  });

  it('leaves out what goes by an unknown CIE, and nothing else', () => {
    const unknown = cie(0x02, 'zX');
    const entry = [21, 0, 0, 0, 0x34, 0x12, 0x10, 0, 0];
    const { fdes, unreadable } = parse(table(unknown, entry, cie(0x02), entry));
    expect(fdes.map(({ offset }) => offset)).toEqual([47]);
    expect(unreadable).toHaveLength(1);
    expect(unreadable[0]).toMatchObject({ offset: 17 });
    expect(unreadable[0]!.reason).toContain("augmentation 'X'");
  });

  it('reads set_loc and long advances', () => {
    const instructions = [0x01, 0x00, 0x20, 0x03, 2, 1, 0x1d, 1, 0, 0, 0, 0, 0, 0, 0];
    const entry = [21, 0, 0, 0, 0x34, 0x12, 0, 0x20, 0, ...instructions];
    const [fde] = parse(table(cie(0x02), entry)).fdes;
    expect(asShown(fde!).rows).toEqual([0x2000, 0x2408, 0x240c]);
  });

  it('refuses an instruction that does not exist', () => {
    const [fde] = parse(table(cie(0x02), [21, 0, 0, 0, 0x34, 0x12, 0, 0x20, 0, 0x3f])).fdes;
    expect(() => decodeCallFrame(fde!)).toThrow(BadBinary);
  });

  it('refuses an entry that reaches beyond the end', () => {
    const bytes = table(cie(0x02));
    bytes[0]! += 1;
    expect(() => parse(bytes)).toThrow('the entry at 0x0 of .eh_frame reaches beyond its end');
  });
});

it('tells signal frames, personality routines and language-specific data', () => {
  const path = compiled('exceptions.cc', '-std=c++14', '-w');
  const { fdes } = readEhFrame(parseElf(readFileSync(path)));
  const withTables = fdes.filter(({ lsda }) => lsda !== undefined);
  expect(withTables.length).toBeGreaterThan(5);
  for (const { cie } of withTables) {
    expect(cie.personality?.isIndirect).toBe(true);
    expect(cie.lsdaEncoding).toBe(Encoding.pcRelative);
  }
  const library = toolOutput('gcc', '-print-file-name=libc.so.6').trim();
  const frames = readEhFrame(parseElf(readFileSync(library))).fdes;
  expect(frames.filter(({ cie }) => cie.isSignalFrame)).toHaveLength(1);
});
