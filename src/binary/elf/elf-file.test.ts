import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BadBinary } from '../byte-reader.ts';
import { imageAddress } from '../image-address.ts';
import {
  compiled,
  number,
  scratchFolder,
  toolOutput,
  withoutSections,
} from '../testdata/compiled.ts';
import { readBuildId } from './build-id.ts';
import { SegmentType } from './constants.ts';
import { parseElf } from './elf-file.ts';
import { programKind } from './program-kind.ts';

describe('what is not read', () => {
  const real = readFileSync('/bin/true');
  const changed = (at: number, ...bytes: number[]): Buffer => {
    const copy = Buffer.from(real);
    copy.set(bytes, at);
    return copy;
  };

  it.each([
    ['an empty file', Buffer.alloc(0), 'it is empty'],
    ['text', Buffer.from('hello\n'), 'it is not an ELF file: it starts with the bytes 68656c6c'],
    ['two bytes', Buffer.from('\x7fE'), 'it is not an ELF file'],
    [
      'a script',
      Buffer.from('#!/bin/sh -e\nls\n'),
      "it is a script ('#!/bin/sh -e'), not an ELF file",
    ],
    ['32 bits', changed(4, 1), 'it is a 32-bit file for x86-64; only 64-bit files'],
    ['i386', changed(4, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 3, 0), 'a 32-bit file for i386;'],
    ['AArch64', changed(18, 183, 0), 'it is a 64-bit file for AArch64; only'],
    ['big-endian', changed(5, 2), 'it is a 64-bit big-endian file for'],
    ['an unknown machine', changed(18, 0xff, 0xfe), 'file for machine 65279;'],
    ['an unknown class', changed(4, 3), 'its ELF class 3 does not exist'],
    ['an unknown byte order', changed(5, 0), 'its byte order 0 does not exist'],
    ['another version', changed(20, 2), 'its ELF version is 2'],
    ['an object file', changed(16, 1, 0), 'it is an object file (.o)'],
    ['a core dump', changed(16, 4, 0), 'it is a core dump'],
    ['another type', changed(16, 9, 9), 'its ELF type 0x909'],
    ['half a header', real.subarray(0, 40), 'cut short: it has 40 of the ELF header'],
    [
      'no program headers',
      real.subarray(0, 100),
      'its program headers at 0x40 are outside the file',
    ],
    ['half of it', real.subarray(0, real.length / 2), 'it is cut short: its section headers at 0x'],
    ['odd program headers', changed(54, 57), 'its program headers have 57 bytes, not 56'],
    ['odd section headers', changed(58, 1), 'its section headers have 1 bytes, not 64'],
    [
      'far away headers',
      changed(32, 0, 0, 0, 0, 0, 0, 0, 0xff),
      'the number at 0x20 of the ELF header',
    ],
  ])('says so of %s', (_, bytes, message) => {
    expect(() => parseElf(bytes)).toThrow(BadBinary);
    expect(() => parseElf(bytes)).toThrow(message);
  });

  it('says so of a file without section headers that is cut short', () => {
    const bytes = withoutSections('/bin/true');
    expect(() => parseElf(bytes.subarray(0, bytes.length / 2))).toThrow('cut short: a segment (0x');
  });
});

describe('sections and segments', () => {
  it('are those that readelf shows', () => {
    const path = '/bin/bash';
    const elf = parseElf(readFileSync(path));
    const shown = [
      ...toolOutput('readelf', '-SW', path).matchAll(
        /^ {2}\[ *\d+\] (\S*) +\S+ +([0-9a-f]{16}) (\S+) (\S+) /gm,
      ),
    ].map(([, name, address, offset, size]) => [
      name,
      number(address),
      number(offset),
      number(size),
    ]);
    const read = elf.sections.map(({ name, address, offset, size }) => [
      name,
      address,
      offset,
      size,
    ]);
    expect(shown.length).toBeGreaterThan(20);
    expect(read).toEqual(shown);
    const loads = toolOutput('readelf', '-lW', path).match(/^ {2}LOAD +.*$/gm)!;
    const segments = elf.segments.filter(({ type }) => type === SegmentType.load);
    expect(
      segments.map(({ offset, address, sizeInFile, size }) => [offset, address, sizeInFile, size]),
    ).toEqual(
      loads.map((line) => {
        const [offset, address, , inFile, size] = line.trim().split(/ +/).slice(1).map(Number);
        return [offset, address, inFile, size];
      }),
    );
  });

  it('have the same bytes', () => {
    const elf = parseElf(readFileSync('/bin/bash'));
    const text = elf.section('.text')!;
    expect(Buffer.compare(elf.imageBytesAt(text.address, text.size), elf.content('.text')!)).toBe(
      0,
    );
    const bss = elf.section('.bss')!;
    expect(elf.findImageBytes(imageAddress(bss.address + 8), 1)).toBeUndefined();
    expect(elf.content('.bss')).toBeUndefined();
    expect(elf.content('.none')).toBeUndefined();
    expect(() => elf.imageBytesAt(imageAddress(bss.address + 8), 1)).toThrow('are in no segment');
    expect(elf.findImageBytes(text.address, 2 ** 40)).toBeUndefined();
  });

  it('are decompressed', () => {
    const plain = parseElf(readFileSync(compiled('calls.c', '-g', '-gz=none')));
    const compressed = parseElf(readFileSync(compiled('calls.c', '-g', '-gz=zlib')));
    const [before, after] = [plain, compressed].map((elf) => elf.section('.debug_str')!.size);
    expect(after).toBeLessThan(before!);
    expect(compressed.content('.debug_info')!.length).toBe(plain.content('.debug_info')!.length);
    expect(Buffer.from(compressed.content('.debug_str')!).toString()).toContain('shared_number');
  });

  it('are refused if they cannot be decompressed', () => {
    const file = readFileSync(compiled('calls.c', '-g', '-gz=zlib'));
    const { offset } = parseElf(file).section('.debug_str')!;
    const content = (at: number, value: number) => {
      const copy = Buffer.from(file);
      copy.writeUInt32LE(value, offset + at);
      return () => parseElf(copy).content('.debug_str');
    };
    expect(content(0, 2)).toThrow('section .debug_str is compressed with zstd');
    expect(content(0, 9)).toThrow('compressed in an unknown way (9)');
    expect(content(8, 0x7fff_ffff)).toThrow('cannot have 0x7fffffff bytes');
    expect(content(8, 10)).toThrow('section .debug_str cannot be decompressed');
    expect(content(8, 100_000)).toThrow('when decompressed, not 100000');
    expect(content(40, 0x1234_5678)).toThrow('section .debug_str cannot be decompressed');
  });
});

describe('the kind of program', () => {
  it.each([
    [['-pie', '-fPIE'], true, false, true],
    [['-no-pie', '-fno-pie'], true, false, false],
    [['-static'], true, true, false],
    [['-static-pie', '-fPIE'], true, true, true],
    [['-shared', '-fPIC'], false, false, true],
  ])('is told for %j', (options, isProgram, isStatic, isPositionIndependent) => {
    const path = compiled('calls.c', ...options);
    for (const bytes of [readFileSync(path), withoutSections(path)]) {
      const kind = programKind(parseElf(bytes));
      expect(kind).toMatchObject({ isProgram, isStatic, isPositionIndependent });
      expect(kind.needed[0]).toBe(isStatic ? undefined : 'libc.so.6');
      const usesLoader = isProgram && !isStatic;
      expect(kind.interpreter).toBe(usesLoader ? '/lib64/ld-linux-x86-64.so.2' : undefined);
    }
  });

  it('is a library also if it can be started', () => {
    const library = toolOutput('gcc', '-print-file-name=libc.so.6').trim();
    const kind = programKind(parseElf(readFileSync(library)));
    expect(kind).toMatchObject({ isProgram: false, isStatic: false, soname: 'libc.so.6' });
  });
});

describe('the build-id', () => {
  it('is the one that was asked for, also without section headers', () => {
    const path = compiled('calls.c', '-Wl,--build-id=0x0123456789abcdef');
    expect(readBuildId(parseElf(readFileSync(path)))).toBe('0123456789abcdef');
    expect(readBuildId(parseElf(withoutSections(path)))).toBe('0123456789abcdef');
  });

  it('may be missing', () => {
    const path = compiled('calls.c', '-Wl,--build-id=none');
    expect(readBuildId(parseElf(readFileSync(path)))).toBeUndefined();
  });

  it('is in debug files, too, whose code is not there', () => {
    const program = compiled('calls.c', '-g', '-Wl,--build-id=0x0123456789abcdef');
    const debug = join(scratchFolder(), 'calls.debug');
    execFileSync('objcopy', ['--only-keep-debug', program, debug]);
    const elf = parseElf(readFileSync(debug));
    expect(elf.isDebugFile).toBe(true);
    expect(parseElf(readFileSync(program)).isDebugFile).toBe(false);
    expect(readBuildId(elf)).toBe('0123456789abcdef');
    expect(elf.findImageBytes(elf.header.entry, 4)).toBeUndefined();
  });
});
