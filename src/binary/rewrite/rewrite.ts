/**
 * Makes the clones of an image: from an ELF file to a blob, and what could not be cloned.
 *
 *   const { blob, skipped } = rewriteImage(elf, { logging: true });
 *   // 42 functions cloned, 1 skipped: 'fast_copy: no instruction at 0x1210'
 */
import { isComputedJump, isTailCall, switchTargets } from '../code/computed-jumps.ts';
import type { FunctionCode } from '../code/function-code.ts';
import { findFunctions, type FoundFunction } from '../code/functions.ts';
import { FlowControl } from 'iced-x86';
import type { Instruction } from '../code/instruction.ts';
import { liveFlags, liveRegisters } from '../code/liveness.ts';
import { StackFrame } from '../code/stack-frame.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { imageAddress } from '../image-address.ts';
import { type Fde, readEhFrame } from '../unwind/eh-frame.ts';
import { frameBases } from '../unwind/frame-bases.ts';
import { accessGroups } from './access-groups.ts';
import { SLOTS_SIZE } from './agent-interface.ts';
import type { Blob } from './blob.ts';
import { blobBase } from './blob-place.ts';
import { type Clone, type CloneLogging, emitClone, type NumberedGroup, type OpenReference } from './clone.ts';
import { CodeBuffer } from './code-buffer.ts';
import { constantData } from './constant-data.ts';
import { groupTable } from './group-table.ts';
import { patchPlace } from './patches.ts';
import { translationTable } from './translations.ts';

export interface RewriteOptions {
  /** Without it, clones do what their originals do and nothing else. */
  readonly logging: boolean;
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
  readonly accesses: number;
}

interface Clonable {
  readonly fde: Fde;
  readonly code: FunctionCode;
}

export function rewriteImage(elf: ElfFile, options: RewriteOptions): Rewritten {
  const { fdes } = readEhFrame(elf);
  const functions = findFunctions(elf, fdes, () => []);
  const clonable: Clonable[] = functions.flatMap(({ fde, code }) =>
    code.ok ? [{ fde, code: code.value }] : [],
  );
  const to = new CodeBuffer(blobBase(elf));
  to.copy(new Uint8Array(SLOTS_SIZE));
  const references: OpenReference[] = [];
  const groups: NumberedGroup[] = [];
  const data = constantData(elf);
  const targetsOf = new Map<FunctionCode, Set<number>>();
  const clones = clonable.map(({ fde, code }) => {
    const jumpTargets = switchTargets(code, data);
    targetsOf.set(code, jumpTargets);
    const logging = options.logging ? loggingOf(code, fde, jumpTargets, groups) : undefined;
    return emitClone(to, code, logging, references);
  });
  const codeSize = to.length;
  const cloneAt = clonePlaces(clones);
  for (const { at, target } of references) {
    const clone = cloneAt.get(target);
    to.pointTo(clone === undefined ? target : to.base + clone, at);
  }
  const blob: Blob = {
    base: to.base,
    mapped: to.taken(),
    codeSize,
    unwindAt: 0,
    functions: clones.length,
    patches: patchesOf(elf, clones, targetsOf),
    threadOffsets: Uint32Array.from(to.threadOffsets),
    groupNumbers: Uint32Array.from(to.groupNumbers),
    translations: translationTable(clones.flatMap(translationsOf)),
    returns: Uint32Array.from(clones.flatMap(returnsOf)),
    ...groupTable(groups),
  };
  return {
    blob,
    cloned: clones.length,
    skipped: functions.flatMap(skippedFunction),
    instructions: clones.reduce((sum, { code }) => sum + code.instructions.length, 0),
    accesses: blob.sites.length,
  };
}

const skippedFunction = ({ name, code }: FoundFunction): Skipped[] =>
  code.ok ? [] : [{ name, reason: code.error }];

function loggingOf(
  code: FunctionCode,
  fde: Fde,
  jumpTargets: Iterable<number>,
  groups: NumberedGroup[],
): CloneLogging {
  const aliveRegisters = liveRegisters(code);
  const aliveFlags = liveFlags(code);
  const found = accessGroups(code, {
    frame: new StackFrame(code, frameBases(fde)),
    flags: aliveFlags,
    jumpTargets,
    isOrdered: () => false,
  });
  const numbered = found.map((group, place) => ({ ...group, number: groups.length + place }));
  groups.push(...numbered);
  return { groups: numbered, aliveRegisters, aliveFlags };
}

function clonePlaces(clones: readonly Clone[]): Map<number, number> {
  const places = new Map<number, number>();
  for (const { code, places: at } of clones) {
    for (const [place, { address }] of code.instructions.entries()) places.set(address, at[place]!);
  }
  return places;
}

function patchesOf(
  elf: ElfFile,
  clones: readonly Clone[],
  targetsOf: ReadonlyMap<FunctionCode, ReadonlySet<number>>,
): Uint32Array {
  const jumpTargets = new Set<number>();
  const inFunctions = new Set<number>();
  for (const { code } of clones) {
    inFunctions.add(code.start);
    for (const instruction of code.instructions) {
      if (instruction.target >= 0) jumpTargets.add(instruction.target);
    }
    for (const target of [...code.landingPads, ...targetsOf.get(code)!]) jumpTargets.add(target);
  }
  const patches: number[] = [];
  for (const { code, places } of clones) {
    const at = patchPlace(code, {
      jumpTargets,
      byteAt: (address) => elf.findImageBytes(imageAddress(address), 1)?.[0],
      isInFunction: (address) => inFunctions.has(address),
    });
    if (at !== undefined) patches.push(at, places[code.places.get(at)!]!);
  }
  return Uint32Array.from(patches);
}

/** All instructions of a function in which somebody may compute where to go on. */
function translationsOf({ code, places }: Clone): [number, number][] {
  const isNeeded = code.instructions.some(
    (instruction, place) => isComputedJump(instruction) && !isTailCall(code, place),
  );
  if (!isNeeded) return [];
  return code.instructions.map(({ address }, place) => [address, places[place]!]);
}

function returnsOf({ code, places }: Clone): number[] {
  return code.instructions.flatMap((instruction, place) =>
    isCall(instruction) ? [places[place + 1]!, instruction.address + instruction.length] : [],
  );
}

const isCall = ({ flow }: Instruction): boolean =>
  flow === FlowControl.Call || flow === FlowControl.IndirectCall;
