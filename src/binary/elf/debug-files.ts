/**
 * Debug information is often in a file of its own. A program names it by its build-id, and perhaps by a
 * name with a checksum (`.gnu_debuglink`):
 *
 *   /usr/bin/git, build-id 5f1c…, link 'git.debug'
 *     /usr/lib/debug/.build-id/5f/1c….debug
 *     /usr/bin/git.debug, /usr/bin/.debug/git.debug, /usr/lib/debug/usr/bin/git.debug
 *
 * Nothing is looked for here: the caller opens what `debugFileCandidates` lists (given the program's
 * path without symbolic links), and asks `asDebugFile` whether it is the right one.
 */
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { err, ok, type Result } from '../../base/result.ts';
import { BadBinary, ByteReader } from '../byte-reader.ts';
import { readBuildId } from './build-id.ts';
import { type ElfFile, parseElf } from './elf-file.ts';

export const DEBUG_ROOT = '/usr/lib/debug';

export interface DebugLink {
  name: string;
  /** Of the whole debug file. */
  crc: number;
}

export interface DebugFileWanted {
  buildId: string | undefined;
  link: DebugLink | undefined;
}

export const debugFileWanted = (elf: ElfFile): DebugFileWanted => ({
  buildId: readBuildId(elf),
  link: readDebugLink(elf),
});

export function readDebugLink(elf: ElfFile): DebugLink | undefined {
  const content = elf.content('.gnu_debuglink');
  if (content === undefined) return undefined;
  const reader = new ByteReader(content, 0, content.length, '.gnu_debuglink');
  const name = reader.cString();
  reader.skip(-reader.at & 3);
  return { name, crc: reader.u32() };
}

/** A further file that debug information refers to, made by `dwz` of what several programs share. */
export function readDebugAltLink(elf: ElfFile): { path: string; buildId: string } | undefined {
  const content = elf.content('.gnu_debugaltlink');
  if (content === undefined) return undefined;
  const reader = new ByteReader(content, 0, content.length, '.gnu_debugaltlink');
  const path = reader.cString();
  return { path, buildId: Buffer.from(reader.bytes(reader.left)).toString('hex') };
}

export function debugFileCandidates(
  program: string,
  { buildId, link }: DebugFileWanted,
  roots: readonly string[] = [DEBUG_ROOT],
): string[] {
  const paths: string[] = [];
  if (buildId !== undefined && buildId.length > 2) {
    const name = join('.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
    paths.push(...roots.map((root) => join(root, name)));
  }
  // A link is a name, not a path: it must not lead elsewhere.
  if (link !== undefined && link.name !== '' && !link.name.includes('/')) {
    const folder = dirname(program);
    paths.push(join(folder, link.name), join(folder, '.debug', link.name));
    paths.push(...roots.map((root) => join(root, folder, link.name)));
  }
  return paths.filter((path) => path !== program);
}

/** The parsed file, or why it does not belong to that program. */
export function asDebugFile(
  bytes: Uint8Array,
  { buildId, link }: DebugFileWanted,
): Result<ElfFile, BadBinary> {
  try {
    const elf = parseElf(bytes);
    const found = readBuildId(elf);
    if (buildId !== undefined && found !== undefined) {
      return found === buildId ? ok(elf) : mismatch(`it has build-id ${found}, not ${buildId}`);
    }
    if (link === undefined) return mismatch('it has no build-id, and there is no checksum');
    return crc32(bytes) === link.crc ? ok(elf) : mismatch('its checksum is another');
  } catch (error) {
    if (error instanceof BadBinary) return err(error);
    throw error;
  }
}

const mismatch = (message: string): Result<never, BadBinary> => err(new BadBinary(message));
