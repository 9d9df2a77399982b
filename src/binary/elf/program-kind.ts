/**
 * How a file is started, if at all. The ELF type does not tell: position independent programs have that
 * of shared libraries, and some libraries (libc.so.6) can be started, too.
 *
 *   /bin/bash        program, interpreter /lib64/ld-linux-x86-64.so.2
 *   busybox-static   program, no interpreter: static, so nothing can be preloaded
 *   libz.so.1        library
 */
import { ByteReader } from '../byte-reader.ts';
import { SegmentType } from './constants.ts';
import { Dynamic } from './dynamic.ts';
import type { ElfFile } from './elf-file.ts';

export interface ProgramKind {
  isProgram: boolean;
  /** A program that needs no loader, and so takes no preloaded library. */
  isStatic: boolean;
  isPositionIndependent: boolean;
  /** The loader's path. */
  interpreter: string | undefined;
  needed: string[];
  soname: string | undefined;
}

export function programKind(elf: ElfFile): ProgramKind {
  const dynamic = new Dynamic(elf);
  const { isPositionIndependent } = elf.header;
  const interpreter = readInterpreter(elf);
  const { needed, soname } = dynamic;
  const isProgram =
    !isPositionIndependent ||
    dynamic.isMarkedAsProgram ||
    // Linkers before 2016 did not mark programs.
    (interpreter !== undefined && soname === undefined);
  const isStatic = isProgram && interpreter === undefined;
  return { isProgram, isStatic, isPositionIndependent, interpreter, needed, soname };
}

function readInterpreter(elf: ElfFile): string | undefined {
  const segment = elf.isDebugFile ? undefined : elf.segment(SegmentType.interpreter);
  if (segment === undefined) return undefined;
  const { offset, sizeInFile } = segment;
  return new ByteReader(elf.bytes, offset, offset + sizeInFile, "the loader's path").cString();
}
