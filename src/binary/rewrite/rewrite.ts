/**
 * Makes the clones of an image: from an ELF file to a blob, and what could not be cloned.
 *
 *   const { blob, cloned, skipped } = rewriteImage(elf, { logs: true });
 *   // 42 functions cloned, 1 skipped: 'fast_copy: no instruction at 0x1210'
 */
import type { FunctionCode } from '../code/function-code.ts';
import { findFunctions } from '../code/functions.ts';
import { handovers } from '../code/handovers.ts';
import type { Instruction } from '../code/instruction.ts';
import { outsideJumps } from '../code/outside-jumps.ts';
import type { AddressRange } from '../dwarf/addresses.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { type Imports, readImports } from '../elf/imports.ts';
import { imageAddress } from '../image-address.ts';
import { type Fde, readEhFrame } from '../unwind/eh-frame.ts';
import { writeUnwindTables } from '../unwind/write-unwind-tables.ts';
import type { Blob } from './blob.ts';
import { callerSensitive } from './caller-sensitive.ts';
import {
  type Clonable,
  type ClonedImage,
  cloneImage,
  type Logged,
  type Surroundings,
} from './clone-image.ts';
import { computedJumpTable, patchTable, returnTable } from './clone-tables.ts';
import { groupTable } from './group-table.ts';
import { knownEntries } from './known-entries.ts';
import { orderedAccesses } from './ordered-accesses.ts';
import { ownUnwinder } from './own-unwinder.ts';

export interface RewriteOptions {
  /** Without it, clones do what their originals do and nothing else. */
  readonly logs: boolean;
  /** Variables that debug information knows to be atomic: disjoint, and in order. */
  readonly atomicVariables?: readonly AddressRange[];
  /** Whether loops are told as a whole, where that is possible; as they are, unless it says false. */
  readonly hoistsLoops?: boolean;
}

export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

export interface Rewritten {
  readonly blob: Blob;
  readonly cloned: number;
  readonly skipped: readonly Skipped[];
  readonly instructions: number;
}

export function rewriteImage(elf: ElfFile, options: RewriteOptions): Rewritten {
  const { fdes } = readEhFrame(elf);
  const functions = findFunctions(elf, fdes);
  const skipped: Skipped[] = [];
  const obstacle = ownUnwinder(elf, fdes);
  let clonable: Clonable[] = [];
  for (const { name, fde, code } of functions) {
    if (obstacle !== undefined) skipped.push({ name, reason: obstacle });
    else if (code.ok) clonable.push({ fde, code: code.value });
    else skipped.push({ name, reason: code.error });
  }
  const imports = readImports(elf);
  const codes = clonable.map(({ code }) => code);
  const surroundings: Surroundings = {
    entries: knownEntries(elf, fdes),
    isCallerSensitive: callerSensitive(codes, imports),
  };
  const logged = options.logs ? loggedOf(codes, imports, options) : undefined;
  for (;;) {
    const image = cloneImage(elf, clonable, surroundings, logged);
    const { refused, unwindAt } = addUnwindTables(elf, image);
    if (refused.size === 0) return finished(elf, image, surroundings, unwindAt, skipped);
    // Where clones are hangs on which there are: once more, without those.
    for (const { fde, code } of clonable) {
      const reason = refused.get(fde);
      if (reason !== undefined) skipped.push({ name: code.name, reason });
    }
    clonable = clonable.filter(({ fde }) => !refused.has(fde));
  }
}

function loggedOf(
  functions: readonly FunctionCode[],
  { stubs, slots }: Imports,
  { atomicVariables = [], hoistsLoops = true }: RewriteOptions,
): Logged {
  const passesTime = ({ target, relativeOperand }: Instruction): boolean => {
    const name = stubs.get(imageAddress(target)) ?? slots.get(imageAddress(relativeOperand));
    return name !== undefined && TIME_PASSERS.has(name);
  };
  return {
    isOrdered: orderedAccesses(functions, atomicVariables, passesTime),
    exchanged: handovers(functions),
    enteredAt: outsideJumps(functions),
    hoistsLoops,
  };
}

const TIME_PASSERS: ReadonlySet<string> = new Set([
  ...['sched_yield', 'pthread_yield', 'thrd_yield', 'usleep', 'sleep', 'nanosleep'],
  ...['clock_nanosleep', 'thrd_sleep'],
]);

const NO_REFUSALS: ReadonlyMap<Fde, string> = new Map();

/** Behind the code, in the same piece of memory. */
function addUnwindTables(
  elf: ElfFile,
  { code, clones, cloneAt }: ClonedImage,
): { refused: ReadonlyMap<Fde, string>; unwindAt: number } {
  if (clones.length === 0) return { refused: NO_REFUSALS, unwindAt: 0 };
  code.endCode();
  code.align(16, 0);
  const unwindAt = code.length;
  const cloneOf = (address: number): number | undefined => {
    const place = cloneAt.get(address);
    return place === undefined ? undefined : code.base + place;
  };
  const described = clones.map(({ fde, start, end }) => ({
    fde,
    start: code.base + start,
    end: code.base + end,
    cloneOf,
  }));
  const { bytes, refused } = writeUnwindTables(elf, described, imageAddress(code.address));
  code.copy(bytes);
  return { refused, unwindAt };
}

function finished(
  elf: ElfFile,
  { code, clones, groups }: ClonedImage,
  surroundings: Surroundings,
  unwindAt: number,
  skipped: readonly Skipped[],
): Rewritten {
  const blob: Blob = {
    base: code.base,
    mapped: code.taken(),
    codeSize: code.codeSize,
    unwindAt,
    functions: clones.length,
    patches: patchTable(elf, clones, surroundings),
    threadOffsets: Uint32Array.from(code.threadOffsets),
    groupNumbers: Uint32Array.from(code.groupNumbers),
    translations: computedJumpTable(clones),
    returns: returnTable(clones),
    ...groupTable(groups),
  };
  const instructions = clones.reduce((sum, clone) => sum + clone.code.instructions.length, 0);
  return { blob, cloned: clones.length, skipped, instructions };
}
