/**
 * All clones of an image in one piece of code. Where a jump leads to a function that comes later is only
 * known at the end, so references stay open until then.
 */
import { tellProgress } from '../../base/progress.ts';
import { jumpedTo } from '../code/blocks.ts';
import { hasSwitch, switchTargets } from '../code/computed-jumps.ts';
import type { FunctionCode } from '../code/function-code.ts';
import type { Handovers } from '../code/handovers.ts';
import type { Instruction } from '../code/instruction.ts';
import { liveFlags, liveRegisters } from '../code/liveness.ts';
import { StackFrame } from '../code/stack-frame.ts';
import { straightLoops } from '../code/straight-loops.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import type { Fde } from '../unwind/eh-frame.ts';
import { frameBases } from '../unwind/frame-bases.ts';
import {
  type AccessGroup,
  accessGroups,
  type GroupingContext,
  type NumberedGroup,
} from './access-groups.ts';
import { SLOTS_SIZE } from './agent-interface.ts';
import { blobBase } from './blob-place.ts';
import { type Clone, type CloneLogging, emitClone, type OpenReference } from './clone.ts';
import { CodeBuffer } from './code-buffer.ts';
import { constantData } from './constant-data.ts';
import { type HoistedLoop, hoistedLoop } from './hoisted-loops.ts';
import type { NumberedLoop } from './loop-code.ts';

/** A function that can be cloned. */
export interface Clonable {
  readonly fde: Fde;
  readonly code: FunctionCode;
}

export interface FunctionClone extends Clone {
  readonly fde: Fde;
  /** Where computed jumps may lead, as far as known. */
  readonly jumpTargets: ReadonlySet<number>;
}

export interface ClonedImage {
  /** With the slots for the agent's addresses at its start. */
  readonly code: CodeBuffer;
  readonly clones: readonly FunctionClone[];
  readonly groups: readonly NumberedGroup[];
  /** Where the clone of an instruction is, relative to the blob. */
  readonly cloneAt: ReadonlyMap<number, number>;
}

/** What the image says beside the functions themselves. */
export interface Surroundings {
  /** Addresses that code may be entered at (known-entries.ts). */
  readonly entries: ReadonlySet<number>;
  /** Calls that have to be made by the original (caller-sensitive.ts). */
  readonly isCallerSensitive: (instruction: Instruction) => boolean;
}

/** What clones log; undefined if nothing. */
export interface Logged {
  /** Plain accesses that count as atomic. */
  readonly isOrdered: (instruction: Instruction) => boolean;
  readonly exchanged: Handovers;
  /** Addresses in each function to which others jump (outside-jumps.ts). */
  readonly enteredAt: ReadonlyMap<FunctionCode, ReadonlySet<number>>;
  /** Whether loops are told as a whole, where that is possible. */
  readonly hoistsLoops: boolean;
}

export function cloneImage(
  elf: ElfFile,
  functions: readonly Clonable[],
  { entries, isCallerSensitive }: Surroundings,
  logged: Logged | undefined,
): ClonedImage {
  const to = new CodeBuffer(blobBase(elf));
  to.copy(new Uint8Array(SLOTS_SIZE));
  const references: OpenReference[] = [];
  const groups: NumberedGroup[] = [];
  const data = constantData(elf);
  const clones = functions.map(({ fde, code }, place) => {
    tellProgress('functions copied, to be kept', place, functions.length);
    const jumpTargets = switchTargets(code, data, entries);
    const logging = logged && loggingOf(code, fde, { entries, jumpTargets }, logged, groups);
    return { ...emitClone(to, code, isCallerSensitive, logging, references), fde, jumpTargets };
  });
  const cloneAt = clonePlaces(clones);
  for (const { at, target } of references) {
    const clone = cloneAt.get(target);
    to.pointTo(clone === undefined ? target : to.base + clone, at);
  }
  return { code: to, clones, groups, cloneAt };
}

function loggingOf(
  code: FunctionCode,
  fde: Fde,
  { entries, jumpTargets }: Pick<Surroundings, 'entries'> & Pick<FunctionClone, 'jumpTargets'>,
  { isOrdered, exchanged, enteredAt, hoistsLoops }: Logged,
  groups: NumberedGroup[],
): CloneLogging {
  const aliveRegisters = liveRegisters(code, exchanged.registers(code));
  const aliveFlags = liveFlags(code, exchanged.flags(code));
  // Where nothing is known of computed jumps, they may lead anywhere.
  const mayGoAnywhere = jumpTargets.size === 0 && hasSwitch(code);
  const entered = enteredAt.get(code) ?? [];
  const context: GroupingContext = {
    frame: new StackFrame(code, frameBases(fde)),
    flags: aliveFlags,
    jumpTargets: mayGoAnywhere ? code.places.keys() : [...jumpTargets, ...entered],
    isOrdered,
  };
  const loops = hoistsLoops && !mayGoAnywhere ? hoistedLoops(code, context, entries) : [];
  const isHoisted = new Uint8Array(code.instructions.length);
  for (const { start, end } of loops) isHoisted.fill(1, start, end + 1);
  const numbered = (group: AccessGroup): NumberedGroup => {
    const { length: number } = groups;
    groups.push({ ...group, number });
    return groups[number]!;
  };
  const found = accessGroups(code, context, isHoisted).map(numbered);
  const numberedLoops = loops.map(({ start, end, entry, exits }): NumberedLoop => {
    found.push(numbered(entry));
    return { start, end, exits: exits.map((exit) => ({ ...exit, group: numbered(exit.group) })) };
  });
  return { groups: found, loops: numberedLoops, aliveRegisters, aliveFlags };
}

function hoistedLoops(
  code: FunctionCode,
  context: GroupingContext,
  entries: ReadonlySet<number>,
): HoistedLoop[] {
  const isTarget = jumpedTo(code, context.jumpTargets);
  return straightLoops(code, isTarget, (address) => entries.has(address)).flatMap(
    (loop) => hoistedLoop(code, loop, context) ?? [],
  );
}

function clonePlaces(clones: readonly Clone[]): Map<number, number> {
  const places = new Map<number, number>();
  for (const { code, places: at } of clones) {
    for (const [place, { address }] of code.instructions.entries()) places.set(address, at[place]!);
  }
  return places;
}
