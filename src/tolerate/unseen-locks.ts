/** Why a program that imports functions which take locks may have no critical sections: nobody saw a call of them. */
import type { ElfFile } from '../binary/elf/elf-file.ts';
import { readImports } from '../binary/elf/imports.ts';
import { takesLocks } from './sections/lock-calls.ts';

/** To be added to what is said of a program without sections; undefined if it really takes no locks. */
export const unseenLocks = (elf: ElfFile): string | undefined =>
  takesLocks(readImports(elf).slots.values())
    ? 'it has functions that take locks, but no call of them was found in code that can be taken apart (which needs unwind tables: -fasynchronous-unwind-tables)'
    : undefined;
