/**
 * The same answers as `addr2line -i -f` for every instruction of several programs, but for this:
 *
 * - Without debug information, addr2line tells the symbol; here nothing is told.
 * - It names the lines of padding between functions, which belongs to no unit.
 * - It demangles symbols (`jobs::Queue<int>::push(int)`); here names are as in the debug information. Rust's
 *   symbols are not made of the names that the debug information has.
 * - Up to binutils 2.40 it takes file 0 for rows of DWARF 5 before the first "set file", where the
 *   standard says 1. For DWARF 5 the file of the innermost frame is compared with readelf's.
 */
import { describe, expect, it } from 'vitest';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { addr2line, decodedRows, type ForeignFrame, instructions } from '../testdata/addr2line.ts';
import { compiled, hasCompilerFor } from '../testdata/compiled.ts';
import { debugInfoOf } from '../testdata/debug-info-of.ts';
import type { DebugInfo } from './debug-info.ts';
import type { SourceFrame } from './frames.ts';

const place = (frame: SourceFrame): string => `${frame.file ?? '??'}:${frame.line || '?'}`;
const lineOnly = (text: string): string => text.slice(text.lastIndexOf(':'));

/** Of the frames at all instructions: whose places and names are others than addr2line's. */
function differences(path: string, info: DebugInfo, version: number): string[] {
  const all = instructions(path);
  const foreign = addr2line(
    path,
    all.map(({ address }) => address),
  );
  const different: string[] = [];
  all.forEach(({ address, isPadding }, i) => {
    const theirs = foreign[i]!;
    const ours = info.framesAt(imageAddress(address));
    if (ours.length === 0 && (isPadding || theirs[0]!.place.endsWith(':?'))) return;
    const placesOf = (places: string[]): string =>
      places.map((one, k) => (k === 0 && version === 5 ? lineOnly(one) : one)).join(' < ');
    const here = placesOf(ours.map(place));
    const there = placesOf(theirs.map((frame) => frame.place));
    if (here !== there) different.push(`${address.toString(16)}: ${here} and not ${there}`);
    else if (!ours.every((frame, k) => isPadding || isSameName(frame, theirs[k]!)))
      different.push(`${address.toString(16)}: ${JSON.stringify(ours)} ${JSON.stringify(theirs)}`);
  });
  return different;
}

/** Parameters are ours to leave out, scopes theirs; names with templates and lambdas are written in too many ways. */
function isSameName(ours: SourceFrame, theirs: ForeignFrame): boolean {
  const [mine = '??', other] = [ours.function, theirs.function].map((name) =>
    name?.replace('(anonymous namespace)', '{anonymous}'),
  );
  if (/[<>{]|operator|lambda|\[clone|^std::|rust/.test(`${mine} ${other}`)) return true;
  const plain = other!.replace(/\(.*/, '').replace(/\.cold$/, '');
  return mine === plain || mine.endsWith(`::${plain}`);
}

function rowDifferences(path: string, info: DebugInfo): string[] {
  const last = new Map(decodedRows(path).map((row) => [row.address, row]));
  const known = new Set(instructions(path).map(({ address }) => address));
  return [...last.values()]
    .filter(({ address }) => known.has(address))
    .filter(({ address, file, line }) => {
      const ours = info.lineAt(imageAddress(address));
      return ours?.line !== line || !ours.file?.endsWith(file);
    })
    .map(({ address, file, line }) => `${address.toString(16)}: not ${file}:${line}`);
}

function expectSameAnswers(path: string, version: number, leastInstructions: number): void {
  const info = debugInfoOf(path);
  expect(instructions(path).length).toBeGreaterThan(leastInstructions);
  expect(differences(path, info, version).slice(0, 5)).toEqual([]);
  expect(decodedRows(path).length).toBeGreaterThan(leastInstructions / 20);
  expect(rowDifferences(path, info).slice(0, 5)).toEqual([]);
  expect(info.problems).toEqual([]);
}

const C = 'inlined-calls.c';
const CPP = 'shared-data.cc';
const RUST = 'shared-data.rs';

describe.each([2, 3, 4, 5])('DWARF %i of C', (version) => {
  it.each([
    ['plain', ['-O0']],
    ['optimised', ['-O2']],
    [
      'with a sequence for each function, some dropped',
      ['-O1', '-ffunction-sections', '-Wl,--gc-sections'],
    ],
    ['at fixed addresses', ['-O2', '-no-pie']],
    ['optimised at link time', ['-O2', '-flto']],
  ])('%s', (_, options) => {
    expectSameAnswers(compiled(C, `-gdwarf-${version}`, ...options), version, 50);
  });
});

describe.each([4, 5])('DWARF %i of C++', (version) => {
  it.each(['-O0', '-O2'])('%s', (level) => {
    expectSameAnswers(compiled(CPP, `-gdwarf-${version}`, level), version, 300);
  });
});

it('in compressed sections', () => {
  expectSameAnswers(compiled(C, '-gdwarf-4', '-gz', '-O2'), 4, 50);
});

/** For what addr2line cannot read: the same code with other debug information. */
function expectSameFrames(known: string, path: string): void {
  const addresses = instructions(known).map(({ address }) => imageAddress(address));
  expect(instructions(path).map(({ address }) => address)).toEqual(addresses);
  const [here, there] = [debugInfoOf(path), debugInfoOf(known)];
  const isDifferent = (address: ImageAddress): boolean =>
    JSON.stringify(here.framesAt(address)) !== JSON.stringify(there.framesAt(address));
  const different = addresses.filter(isDifferent).slice(0, 5);
  expect(different.map((address) => [here.framesAt(address), there.framesAt(address)])).toEqual([]);
  expect(rowDifferences(path, here).slice(0, 5)).toEqual([]);
}

it('in 64-bit DWARF', () => {
  const options = ['-gdwarf-5', '-O2'];
  expectSameFrames(compiled(C, ...options), compiled(C, ...options, '-gdwarf64'));
});

// addr2line misses many inlined calls in DWARF 5: it does not know range lists that are given by an index.
it.skipIf(!hasCompilerFor(RUST))('of Rust, by LLVM (needs rustc)', () => {
  const [older, newer] = [4, 5].map((version) =>
    compiled(RUST, '-g', '-O', '-C', `dwarf-version=${version}`),
  );
  expectSameAnswers(older!, 4, 10_000);
  expectSameFrames(older!, newer!);
});
