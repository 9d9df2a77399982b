/** A program whose critical sections are to be found, or why they cannot be. */
import { readFileSync } from 'node:fs';
import { encodeBytes, printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { type ElfFile, parseElf } from '../binary/elf/elf-file.ts';
import { readImports } from '../binary/elf/imports.ts';
import { findProgram } from '../linux/find-program.ts';
import type { ImageFile } from '../preload/image-file.ts';
import { cannotBeRead, requirePreloadable } from '../preload/require-preloadable.ts';
import { instrumenterOf } from './sections/known-imports.ts';

export interface ReadProgram {
  /** What the kernel is to execute: a script, perhaps. */
  readonly program: string;
  /** Whose sections these are. */
  readonly image: ImageFile;
  /** Of that, without symbolic links. */
  readonly path: string;
  readonly elf: ElfFile;
}

const DOING = 'tolerate races in';

export function readProgram(command: string): ReadProgram {
  const { path: program, executable } = findProgram(command);
  const image = requirePreloadable(executable, DOING);
  const { path } = image;
  try {
    const elf = parseElf(readFileSync(encodeBytes(path)));
    requireUntouched(path, elf);
    return { program, image, path, elf };
  } catch (error) {
    throw error instanceof UserError ? error : cannotBeRead(path, error, DOING);
  }
}

/** What a sanitizer has put into a program looks at memory where it is, and not at private copies. */
function requireUntouched(path: string, elf: ElfFile): void {
  const instrumenter = instrumenterOf(readImports(elf).slots.values());
  if (instrumenter === undefined) return;
  throw new UserError(
    `cannot ${DOING} '${printable(path)}': it is built with ${instrumenter}, which follows its accesses itself`,
    'build it without -fsanitize',
  );
}
