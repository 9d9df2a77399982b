import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SegmentType } from '../elf/constants.ts';
import { type ElfFile, parseElf } from '../elf/elf-file.ts';
import { functionIndex } from '../elf/symbol-index.ts';
import { imageAddress } from '../image-address.ts';
import { compiled, scratchFolder } from '../testdata/compiled.ts';
import { shownFrames } from '../testdata/shown-frames.ts';
import { decodeCallFrame } from './call-frame-instructions.ts';
import type { Clone } from './clone.ts';
import { type Fde, parseEhFrame, readEhFrame } from './eh-frame.ts';
import { type ExceptTable, parseExceptTable, readExceptTable } from './except-table.ts';
import { writeUnwindTables } from './write-unwind-tables.ts';

const OPTIONS = ['-std=c++14', '-w'];
/** Further than the heap may start behind a program. */
const DISTANCE = 0x5000_0000;
const AT = imageAddress(DISTANCE);

/** Code three times as long, elsewhere. */
function moved(fde: Fde): Clone {
  const place = (address: number) => 0x1000_0000 + (address - 0x1000) * 3;
  return { fde, start: place(fde.start), end: place(fde.end), cloneOf: place };
}
const same = (fde: Fde): Clone => ({
  ...{ fde, start: fde.start, end: fde.end, cloneOf: (address) => address },
});

function rowsOf(fde: Fde): number[] {
  let location: number = fde.start;
  return decodeCallFrame(fde).flatMap(({ advance }) => {
    if (advance === undefined) return [];
    location += advance;
    return [location];
  });
}

const withTables = (elf: ElfFile): Fde[] =>
  readEhFrame(elf).fdes.filter(({ start }) => {
    const text = elf.section('.text')!;
    return start >= text.address && start < text.address + text.size;
  });

describe('tables of moved code', () => {
  const elf = () => parseElf(readFileSync(compiled('exceptions.cc', ...OPTIONS, '-O2')));

  it('say of each place in the clone what was said of the original', () => {
    const program = elf();
    const fdes = withTables(program);
    const clones = fdes.map(moved);
    const { bytes, refused } = writeUnwindTables(program, clones, AT);
    expect(refused.size).toBe(0);
    const written = parseEhFrame({ bytes, address: AT, endsAtZero: true });
    expect(written.unreadable).toEqual([]);
    expect(written.fdes).toHaveLength(fdes.length);
    for (const [index, fde] of written.fdes.entries()) {
      const { start, end, cloneOf, fde: original } = clones[index]!;
      expect([fde.start, fde.end]).toEqual([start, end]);
      const expected = rowsOf(original).map((row) => cloneOf(imageAddress(row)));
      expect(rowsOf(fde)).toEqual(expected);
      expect(fde.cie.personality).toEqual(original.cie.personality);
      expect(fde.lsda === undefined).toBe(original.lsda === undefined);
      if (fde.lsda === undefined) continue;
      const table = parseExceptTable(bytes.subarray(fde.lsda - AT), fde.lsda, fde.start);
      const before = readExceptTable(program, original.lsda!, original.start);
      expectSameTable(table, before, clones[index]!);
    }
  });

  it('are what readelf reads, too', () => {
    const program = elf();
    const clones = withTables(program).map(moved);
    const { bytes } = writeUnwindTables(program, clones, imageAddress(0));
    const folder = scratchFolder();
    const [content, empty, object] = ['content', 'empty.o', 'tables.o'].map((n) => join(folder, n));
    // Behind the closing zero are exception tables, which are no entries.
    const view = Buffer.from(bytes);
    let end = 0;
    while (view.readUInt32LE(end) !== 0) end += 4 + view.readUInt32LE(end);
    writeFileSync(content!, view.subarray(0, end + 4));
    execFileSync('as', ['-o', empty!, '/dev/null']);
    const section = ['--add-section', `.eh_frame=${content}`];
    const flags = ['--set-section-flags', '.eh_frame=alloc,readonly'];
    execFileSync('objcopy', [...section, ...flags, empty!, object!]);
    const expected = clones.map(({ start, end, fde, cloneOf }) => [
      ...[start, end, rowsOf(fde).map((row) => cloneOf(imageAddress(row)))],
    ]);
    expect(shownFrames(object!).map(({ start, end, rows }) => [start, end, rows])).toEqual(
      expected,
    );
  });

  it('are refused where there is no place to name, and only there', () => {
    const program = elf();
    const functions = functionIndex(program);
    const fdes = withTables(program);
    const nested = fdes.find(({ start }) => functions.find(start)?.name === '_Z6nestedi')!;
    const table = readExceptTable(program, nested.lsda!, nested.start);
    const pad = table.callSites.find(({ landingPad }) => landingPad)!.landingPad!;
    const refusedFor = (cloneOf: Clone['cloneOf'], at = AT): Map<Fde, string> => {
      const clones = fdes.map((fde) => (fde === nested ? { ...moved(fde), cloneOf } : moved(fde)));
      const { bytes, refused } = writeUnwindTables(program, clones, at);
      const written = parseEhFrame({ bytes, address: at, endsAtZero: true });
      expect(written.fdes.length + refused.size).toBe(fdes.length);
      return refused;
    };
    const { cloneOf } = moved(nested);
    const noPad = refusedFor((address) => (address === pad ? undefined : cloneOf(address)));
    expect([...noPad.keys()]).toEqual([nested]);
    expect(noPad.get(nested)).toContain(`${pad.toString(16)} is not the start of an instruction`);
    const row = imageAddress(rowsOf(nested)[0]!);
    const noRow = refusedFor((address) => (address === row ? undefined : cloneOf(address)));
    expect(noRow.get(nested)).toContain('unwind row 0x');
    const reversed = refusedFor((address) => 0x2000_0000 - address);
    expect(reversed.get(nested)).toContain('comes earlier in the clone');
    const far = refusedFor(cloneOf, imageAddress(2 ** 32));
    expect(far.size).toBe(fdes.length);
    expect(far.get(nested)).toBe('its clone is too far from the image');
  });

  it('are refused for the procedure linkage table, which goes by the instruction pointer', () => {
    const program = elf();
    const { address, size } = program.section('.plt')!;
    const stubs = readEhFrame(program).fdes.filter(
      ({ start }) => start >= address && start < address + size,
    );
    const { refused } = writeUnwindTables(program, stubs.map(moved), AT);
    expect([...refused.values()]).toEqual(['an unwind expression depends on where the code is']);
  });
});

function expectSameTable(table: ExceptTable, before: ExceptTable, { cloneOf }: Clone): void {
  expect(table.callSites).toEqual(
    before.callSites.map(({ start, end, landingPad, action }) => ({
      start: cloneOf(start),
      end: cloneOf(end),
      landingPad: landingPad && cloneOf(landingPad),
      action,
    })),
  );
  expect(table.actions).toEqual(before.actions);
  expect(table.types).toEqual(before.types);
  expect(table.specificationBytes).toEqual(before.specificationBytes);
}

/** The same program, but the C library does not find its tables. */
function withoutOwnTables(path: string): string {
  const bytes = Buffer.from(readFileSync(path));
  const { header, segments } = parseElf(bytes);
  const index = segments.findIndex(({ type }) => type === SegmentType.ehFrameHeader);
  bytes.writeUInt32LE(0, header.segments.offset + index * 56);
  const bare = join(scratchFolder(), 'bare');
  writeFileSync(bare, bytes);
  chmodSync(bare, 0o755);
  return bare;
}

const ended = (path: string, env: Record<string, string> = {}) => {
  const { status, signal, stdout } = spawnSync(path, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 300_000,
  });
  return { status, signal, stdout };
};

describe('a program with no other tables than the written ones', () => {
  it.each([
    ['position independent', ['-O2']],
    ['not optimised', ['-O0']],
    ['not position independent', ['-O2', '-no-pie', '-fno-pie']],
    ['with frame pointers', ['-O1', '-fno-omit-frame-pointer']],
  ])('throws and catches as before: %s', (_, options) => {
    const path = compiled('exceptions.cc', ...OPTIONS, ...options);
    const native = ended(path);
    expect(native.status).toBe(5);
    expect(native.stdout).toContain('done');
    const bare = withoutOwnTables(path);
    // Without any it cannot catch what it throws.
    expect(ended(bare).signal).toBe('SIGABRT');
    const elf = parseElf(readFileSync(path));
    const start = Math.min(
      ...elf.segments.filter(({ type }) => type === SegmentType.load).map(({ address }) => address),
    );
    const at = imageAddress(start + DISTANCE);
    const { bytes, refused } = writeUnwindTables(elf, withTables(elf).map(same), at);
    expect(refused.size).toBe(0);
    const tables = join(scratchFolder(), 'tables');
    writeFileSync(tables, bytes);
    expect(ended(bare, { TABLES: tables, TABLES_DISTANCE: `${DISTANCE}` })).toEqual(native);
  });
});
