/**
 * Makes the clones of an image's critical sections: from what is known of them to a blob. A function that runs
 * inside of several sections has one clone for all of them.
 *
 *   rewriteSections(elf, plans)      // { blob, isolated: [plan, …], refused: [{ plan, reason }, …] }
 */
import type { FunctionCode } from '../../binary/code/function-code.ts';
import { type Handovers, handovers } from '../../binary/code/handovers.ts';
import type { Instruction } from '../../binary/code/instruction.ts';
import { liveFlags, liveRegisters } from '../../binary/code/liveness.ts';
import type { ElfFile } from '../../binary/elf/elf-file.ts';
import { readImports } from '../../binary/elf/imports.ts';
import { type ImageAddress, imageAddress } from '../../binary/image-address.ts';
import type { Blob } from '../../binary/rewrite/blob.ts';
import { blobBase } from '../../binary/rewrite/blob-place.ts';
import { callerSensitive } from '../../binary/rewrite/caller-sensitive.ts';
import { CodeBuffer } from '../../binary/rewrite/code-buffer.ts';
import { groupTable } from '../../binary/rewrite/group-table.ts';
import { ownUnwinder } from '../../binary/rewrite/own-unwinder.ts';
import { JUMP_LENGTH } from '../../binary/rewrite/patches.ts';
import { type Fde, readEhFrame } from '../../binary/unwind/eh-frame.ts';
import { writeUnwindTables } from '../../binary/unwind/write-unwind-tables.ts';
import type { InsideAction, SectionPlan } from '../sections/section-plan.ts';
import {
  emitEntry,
  type InsideClone,
  InsideCloneMaker,
  type InsideCode,
  type OpenCall,
} from './inside-clone.ts';
import { STUB_SLOTS_SIZE } from './stubs.ts';

export interface RefusedSection {
  readonly plan: SectionPlan;
  readonly reason: string;
}

export interface RewrittenSections {
  readonly blob: Blob;
  readonly isolated: readonly SectionPlan[];
  /** Sections that were to be isolated, but cannot be after all. */
  readonly refused: readonly RefusedSection[];
}

/** @param functions all of the image that could be taken apart, for what they hand over to each other. */
export function rewriteSections(
  elf: ElfFile,
  plans: readonly SectionPlan[],
  functions: readonly FunctionCode[],
): RewrittenSections {
  const { fdes } = readEhFrame(elf);
  const byStart = new Map(fdes.map((fde) => [fde.start, fde]));
  const surroundings = {
    exchanged: handovers(functions),
    isCallerSensitive: callerSensitive(functions, readImports(elf)),
  };
  const refused: RefusedSection[] = [];
  let isolated: SectionPlan[] = [];
  const obstacle = ownUnwinder(elf, fdes);
  for (const plan of plans.filter(({ verdict }) => verdict.isolate)) {
    const reason = obstacle ?? entryObstacle(plan);
    if (reason === undefined) isolated.push(plan);
    else refused.push({ plan, reason });
  }
  for (;;) {
    const made = makeClones(elf, isolated, surroundings);
    const tables = addUnwindTables(elf, made, byStart);
    if (tables.refused.size === 0) {
      return { blob: finished(made, tables.unwindAt), isolated, refused };
    }
    const reasonFor = ({ parts }: SectionPlan): string | undefined => {
      const part = parts.find(({ code }) => tables.refused.has(code.start));
      return part && `${part.code.name}: ${tables.refused.get(part.code.start)}`;
    };
    for (const plan of isolated) {
      const reason = reasonFor(plan);
      if (reason !== undefined) refused.push({ plan, reason });
    }
    isolated = isolated.filter((plan) => reasonFor(plan) === undefined);
  }
}

/** The call becomes a jump, in its own bytes. */
function entryObstacle({ entry }: SectionPlan): string | undefined {
  const instruction = entry.code.instructions[entry.code.places.get(entry.address) ?? -1];
  if (instruction === undefined) return 'its call was not found';
  if (instruction.length < JUMP_LENGTH) return 'its call is too short to become a jump';
  return undefined;
}

interface Made {
  readonly code: CodeBuffer;
  readonly clones: readonly InsideClone[];
  /** Pairs: the address of a call, and what it becomes a jump to. */
  readonly patches: readonly number[];
}

interface Surroundings {
  readonly exchanged: Handovers;
  readonly isCallerSensitive: (instruction: Instruction) => boolean;
}

function makeClones(elf: ElfFile, plans: readonly SectionPlan[], around: Surroundings): Made {
  const to = new CodeBuffer(blobBase(elf));
  to.copy(new Uint8Array(STUB_SLOTS_SIZE));
  const calls: OpenCall[] = [];
  const clones: InsideClone[] = [];
  const entered = new Map<number, InsideClone>();
  const whole = new Map<number, InsideClone>();
  const entries = new Set(plans.map(({ entry }) => entry.code.start));
  for (const inside of insideCodes(plans, around)) {
    const { start } = inside.code;
    if (entries.has(start)) {
      const clone = new InsideCloneMaker(to, inside, 'entered', calls).emit();
      entered.set(start, clone);
      clones.push(clone);
    }
    const clone = new InsideCloneMaker(to, inside, 'whole', calls).emit();
    whole.set(start, clone);
    clones.push(clone);
  }
  for (const { at, target } of calls) {
    const clone = whole.get(target);
    to.pointTo(clone === undefined ? target : to.base + clone.start, at);
  }
  to.align(16, 0xcc);
  const patches = plans.flatMap(({ number, entry }) => {
    const { code, address, next, ifZero, wrapper } = entry;
    const instruction = code.instructions[code.places.get(address)!]!;
    const bytes = code.bytes.subarray(
      address - code.start,
      address - code.start + instruction.length,
    );
    const place = entered.get(code.start)!.places[code.places.get(next)!]!;
    // A wrapper that returns nothing leaves anything in eax.
    const asksForZero = ifZero || wrapper === undefined;
    return [address, emitEntry(to, { instruction, bytes }, { number, asksForZero, next }, place)];
  });
  return { code: to, clones, patches };
}

/** Each function once, with all that may run inside of any section. */
function insideCodes(plans: readonly SectionPlan[], around: Surroundings): InsideCode[] {
  const found = new Map<number, { inside: Uint8Array; actions: Map<number, InsideAction> }>();
  const codes = new Map<number, FunctionCode>();
  for (const { parts } of plans) {
    for (const { code, isInside, actions } of parts) {
      codes.set(code.start, code);
      const known = found.get(code.start) ?? {
        inside: new Uint8Array(code.instructions.length),
        actions: new Map<number, InsideAction>(),
      };
      found.set(code.start, known);
      for (let place = 0; place < known.inside.length; place++) {
        known.inside[place] = known.inside[place]! | isInside[place]!;
      }
      for (const [address, action] of actions) {
        known.actions.set(address, joined(known.actions.get(address), action));
      }
    }
  }
  return [...found].map(([start, { inside, actions }]) => {
    const code = codes.get(start)!;
    return {
      code,
      isInside: inside,
      actions,
      aliveRegisters: liveRegisters(code, around.exchanged.registers(code)),
      aliveFlags: liveFlags(code, around.exchanged.flags(code)),
      isCallerSensitive: around.isCallerSensitive,
    };
  });
}

/** A section may end there in one of them: to look costs little. */
function joined(one: InsideAction | undefined, other: InsideAction): InsideAction {
  if (one?.kind === 'leave') return one;
  const mayEnd = one !== undefined && 'mayEnd' in one && one.mayEnd;
  return 'mayEnd' in other ? { ...other, mayEnd: other.mayEnd || mayEnd } : other;
}

/** `refused`: by the start of the function. */
function addUnwindTables(
  elf: ElfFile,
  { code, clones }: Made,
  byStart: ReadonlyMap<number, Fde>,
): { refused: ReadonlyMap<number, string>; unwindAt: number } {
  const withoutTable = clones.filter((clone) => !byStart.has(clone.code.start));
  const missing = withoutTable.map(
    (clone) => [clone.code.start, 'it has no unwind table'] as const,
  );
  if (clones.length === 0 || missing.length > 0) return { refused: new Map(missing), unwindAt: 0 };
  code.endCode();
  code.align(16, 0);
  const unwindAt = code.length;
  const described = clones.map(({ code: original, start, end, places }) => ({
    fde: byStart.get(original.start)!,
    start: code.base + start,
    end: code.base + end,
    // What is caught in another part of the function is caught in the original: a thrower has no copies left.
    cloneOf: (address: ImageAddress) => {
      const place = original.places.get(address);
      return place === undefined ? address : code.base + places[place]!;
    },
  }));
  const { bytes, refused } = writeUnwindTables(elf, described, imageAddress(code.address));
  code.copy(bytes);
  return {
    refused: new Map([...refused].map(([fde, reason]) => [fde.start, reason])),
    unwindAt,
  };
}

function finished({ code, clones, patches }: Made, unwindAt: number): Blob {
  const nothing = new Uint32Array(0);
  return {
    base: code.base,
    mapped: code.taken(),
    codeSize: code.codeSize,
    unwindAt,
    functions: clones.length,
    patches: Uint32Array.from(patches),
    threadOffsets: Uint32Array.from(code.threadOffsets),
    groupNumbers: nothing,
    translations: nothing,
    returns: nothing,
    ...groupTable([]),
  };
}
