/**
 * Makes the clones of an image's critical sections: from what is known of them to a blob. A function that runs
 * inside of several sections has one clone for all of them, or two (inside-clone.ts).
 *
 *   rewriteSections(elf, plans)      // { blob, isolated: [plan, …], refused: [{ plan, reason }, …] }
 */
import { firstIndex } from '../../base/bisect.ts';
import type { FunctionCode } from '../../binary/code/function-code.ts';
import { findFunctions } from '../../binary/code/functions.ts';
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
  type CloneKind,
  emitEntry,
  type InsideClone,
  InsideCloneMaker,
  type InsideCode,
  type OpenReference,
} from './inside-clone.ts';
import { STUB_SLOTS_SIZE } from './stubs.ts';

export interface RefusedSection {
  readonly plan: SectionPlan;
  readonly reason: string;
}

export interface RewrittenSections {
  readonly blob: Blob;
  /** What of the blob is the clone of what. */
  readonly clones: readonly InsideClone[];
  readonly isolated: readonly SectionPlan[];
  /** Sections that were to be isolated, but cannot be after all. */
  readonly refused: readonly RefusedSection[];
}

export function rewriteSections(elf: ElfFile, plans: readonly SectionPlan[]): RewrittenSections {
  const { fdes } = readEhFrame(elf);
  const functions = findFunctions(elf, fdes).flatMap(({ code }) => (code.ok ? [code.value] : []));
  const imports = readImports(elf);
  const byStart = new Map(fdes.map((fde) => [fde.start, fde]));
  const surroundings = {
    exchanged: handovers(functions),
    isCallerSensitive: callerSensitive(functions, imports),
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
      const blob = finished(made, tables.unwindAt);
      return { blob, clones: made.clones, isolated, refused };
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

/** The plans as they came out, with what was refused after all. */
export const judgedPlans = (
  plans: readonly SectionPlan[],
  { refused }: Pick<RewrittenSections, 'refused'>,
): readonly SectionPlan[] => {
  const reasons = new Map(refused.map(({ plan, reason }) => [plan, reason]));
  return plans.map((plan) => {
    const reason = reasons.get(plan);
    return reason === undefined ? plan : { ...plan, verdict: { isolate: false, reason } };
  });
};

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
  const references: OpenReference[] = [];
  const codes = insideCodes(plans, around);
  const insideAt = new Map(codes.map((inside) => [keyOf(inside.kind, inside.code.start), inside]));
  const functionAt = functionFinder(codes.map(({ code }) => code));
  const has = (kind: CloneKind, address: number): boolean => {
    const code = functionAt(address);
    const inside = code && insideAt.get(keyOf(kind, code.start));
    return inside?.isInside[code!.places.get(address) ?? -1] === 1;
  };
  const clones = codes.map((inside) =>
    new InsideCloneMaker(to, inside, inside.kind, { has, references }).emit(),
  );
  const cloneAt = new Map(clones.map((clone) => [keyOf(clone.kind, clone.code.start), clone]));
  const placeOf = (kind: CloneKind, address: number): number => {
    const code = functionAt(address)!;
    return cloneAt.get(keyOf(kind, code.start))!.places[code.places.get(address)!]!;
  };
  for (const { at, target, kind } of references) to.pointTo(to.base + placeOf(kind, target), at);
  to.align(16, 0xcc);
  const patches = plans.flatMap(({ number, entry }) => {
    const { code, address, next } = entry;
    const instruction = code.instructions[code.places.get(address)!]!;
    const bytes = code.bytes.subarray(
      address - code.start,
      address - code.start + instruction.length,
    );
    const place = placeOf('root', next);
    return [address, emitEntry(to, { instruction, bytes }, { number, entry }, place)];
  });
  return { code: to, clones, patches };
}

const keyOf = (kind: CloneKind, start: number): string => `${kind} ${start}`;

function functionFinder(
  codes: readonly FunctionCode[],
): (address: number) => FunctionCode | undefined {
  const sorted = [...new Set(codes)].sort((a, b) => a.start - b.start);
  return (address) => {
    const found = sorted[firstIndex(sorted, ({ start }) => start > address) - 1];
    return found?.places.has(address) ? found : undefined;
  };
}

interface KindOfInside extends InsideCode {
  readonly kind: CloneKind;
}

/** Each function once for each kind, with all that may run inside of any section. */
function insideCodes(plans: readonly SectionPlan[], around: Surroundings): KindOfInside[] {
  const found = new Map<string, KindOfInside & { actions: Map<number, InsideAction> }>();
  for (const { code, frame, isInside, actions } of plans.flatMap(({ parts }) => parts)) {
    const key = keyOf(frame, code.start);
    const known = found.get(key) ?? { ...newInside(code, around), kind: frame };
    found.set(key, known);
    for (let place = 0; place < isInside.length; place++) {
      known.isInside[place] = known.isInside[place]! | isInside[place]!;
    }
    for (const [address, action] of actions) {
      known.actions.set(address, joined(known.actions.get(address), action));
    }
  }
  return [...found.values()];
}

function newInside(
  code: FunctionCode,
  { exchanged, isCallerSensitive }: Surroundings,
): InsideCode & { actions: Map<number, InsideAction> } {
  return {
    code,
    isInside: new Uint8Array(code.instructions.length),
    actions: new Map(),
    aliveRegisters: liveRegisters(code, exchanged.registers(code)),
    aliveFlags: liveFlags(code, exchanged.flags(code)),
    isCallerSensitive,
  };
}

/** A section may end there in one of them, or have to be left: to do so is always right. */
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
