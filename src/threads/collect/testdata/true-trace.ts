/** Holds a trace against what a program has done (random-program.ts): everything by brute force, byte by byte. */
import { expect } from 'vitest';
import { LogOp } from '../../../linux/agent-protocol.ts';
import { isAccess, isStore, NONE, Op } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';
import {
  ATOMIC_SITE,
  DH_READ,
  DH_WRITE,
  type RandomProgram,
  THREADS,
  type TrueAccess,
  type TrueSegment,
} from './random-program.ts';

const OPS: Readonly<Record<number, number>> = {
  [LogOp.DH_OP_FORK]: Op.fork,
  [LogOp.DH_OP_BEGIN]: Op.begin,
  [LogOp.DH_OP_END]: Op.end,
  [LogOp.DH_OP_ACQUIRE]: Op.acquire,
  [LogOp.DH_OP_RELEASE]: Op.release,
  [LogOp.DH_OP_SIGNAL]: Op.signal,
};

/** A byte in one of its lives. */
const byteOf = (generation: number, address: number): string => `${generation}:${address}`;

function bytesOf({ generation, address, size }: TrueAccess): string[] {
  return Array.from({ length: size }, (_, i) => byteOf(generation, address + i));
}

class Truth {
  readonly accesses: { readonly thread: number; readonly access: TrueAccess; isAtomic: boolean }[];
  readonly shared: ReadonlySet<string>;
  readonly atomic: ReadonlySet<string>;

  constructor({ segments }: RandomProgram) {
    this.accesses = segments.flatMap((own, thread) =>
      own.flatMap(({ op, access, accesses }) => [
        ...(op === 'atomic' ? [{ thread, access: access!, isAtomic: true }] : []),
        ...accesses.map((one) => ({ thread, access: one, isAtomic: false })),
      ]),
    );
    const touched = new Map<string, { threads: Set<number>; isWritten: boolean }>();
    const atomic = new Set<string>();
    for (const { thread, access, isAtomic } of this.accesses) {
      for (const byte of bytesOf(access)) {
        const known = touched.get(byte) ?? { threads: new Set(), isWritten: false };
        touched.set(byte, known);
        known.threads.add(thread);
        known.isWritten ||= (access.flags & DH_WRITE) !== 0;
        if (isAtomic) atomic.add(byte);
      }
    }
    this.atomic = atomic;
    this.shared = new Set(
      [...touched].flatMap(([byte, known]) =>
        known.threads.size > 1 && known.isWritten ? [byte] : [],
      ),
    );
  }

  sharedBytes(access: TrueAccess): string[] {
    return bytesOf(access).filter((byte) => this.shared.has(byte));
  }

  isSharedBlock(generation: number): boolean {
    return [...this.shared].some((byte) => byte.startsWith(`${generation}:`));
  }
}

interface Event {
  readonly at: number;
  readonly op: number;
  readonly target: number;
  readonly isAtomicInstruction: boolean;
  /** Of a variable. */
  readonly bytes: readonly string[];
}

/** Everything between two operations that the trace shows. */
interface Group {
  segments: TrueSegment[];
  events: Event[];
}

export function expectTrueTrace(program: RandomProgram, trace: ThreadTrace): void {
  const truth = new Truth(program);
  const generations = generationsOfAllocations(program, truth, trace);
  const events = eventsOf(trace, generations);
  expectVariables(truth, trace, generations);
  expectLiving(trace);
  const groups: Group[] = [];
  const operations: { seq: number; at: number; segment: TrueSegment; thread: number }[] = [];
  for (let thread = 0; thread < THREADS; thread++) {
    const own = events.filter((event) => trace.threadAt(event.at) === thread);
    let next = 0;
    let group: Group = { segments: [], events: [] };
    for (const segment of program.segments[thread]!) {
      const taken = takeOperation(truth, segment, own, next);
      if (taken > 0) {
        operations.push({ seq: segment.seq, at: own[next]!.at, segment, thread });
        next += taken;
        groups.push(group);
        group = { segments: [], events: [] };
        while (next < own.length && isPlain(own[next]!)) group.events.push(own[next++]!);
      }
      group.segments.push(segment);
    }
    groups.push(group);
    expect(next).toBe(own.length);
  }
  for (const group of groups) expectAccesses(truth, group);
  operations.sort((a, b) => a.seq - b.seq);
  for (const [i, { at }] of operations.entries()) {
    if (i > 0) expect(at, 'operations are in order').toBeGreaterThan(operations[i - 1]!.at);
  }
  for (const group of groups) expectPlaces(truth, program, group, operations);
}

const isPlain = ({ op, isAtomicInstruction }: Event): boolean =>
  isAccess(op) && !isAtomicInstruction;

/** How many events a segment's operation takes, which must be there. */
function takeOperation(
  truth: Truth,
  { op, logOp, access }: TrueSegment,
  own: readonly Event[],
  next: number,
): number {
  switch (op) {
    case 'start':
      return 0;
    case 'sync':
      expect(own[next]?.op).toBe(OPS[logOp]);
      return 1;
    case 'free':
      if (!truth.isSharedBlock(access!.generation)) return 0;
      expect(own[next]?.op).toBe(Op.free);
      return 1;
    case 'atomic': {
      const left = new Set(truth.sharedBytes(access!));
      let taken = 0;
      for (; left.size > 0; taken++) {
        const event = own[next + taken];
        expect(event?.isAtomicInstruction).toBe(true);
        const wanted = [Op.atomicRead, Op.atomicWrite, Op.atomicUpdate][access!.flags - 1];
        expect(event!.op).toBe(wanted);
        for (const byte of event!.bytes) expect(left.delete(byte)).toBe(true);
      }
      return taken;
    }
  }
}

function expectAccesses(truth: Truth, { segments, events }: Group): void {
  const accesses = segments.flatMap((segment) => segment.accesses);
  const touched = (flag: number): Set<string> =>
    new Set(
      accesses.filter(({ flags }) => flags & flag).flatMap((access) => truth.sharedBytes(access)),
    );
  const told = (isWrite: boolean): Set<string> =>
    new Set(events.filter(({ op }) => isStore(op) === isWrite).flatMap(({ bytes }) => bytes));
  expect(sorted(told(true)), 'writes').toEqual(sorted(touched(DH_WRITE)));
  const [reads, writes] = [told(false), told(true)];
  for (const byte of reads) expect([...touched(DH_READ)]).toContain(byte);
  // A read after a write is no news.
  for (const byte of touched(DH_READ)) expect(reads.has(byte) || writes.has(byte)).toBe(true);
  for (const { op, bytes } of events) {
    const isAtomic = bytes.some((byte) => truth.atomic.has(byte));
    expect(op === Op.atomicRead || op === Op.atomicWrite).toBe(isAtomic);
  }
}

const sorted = (bytes: ReadonlySet<string>): string[] => [...bytes].sort();

/** Plain reads of atomic memory come after all that others may have written, and around the rest. */
function expectPlaces(
  truth: Truth,
  program: RandomProgram,
  { segments: [segment, ...more], events }: Group,
  operations: readonly { seq: number; at: number; segment: TrueSegment; thread: number }[],
): void {
  if (!segment || more.length > 0) return;
  const ranks = events.map(({ op }) => (op === Op.atomicRead ? 0 : op === Op.atomicWrite ? 2 : 1));
  expect(ranks).toEqual([...ranks].sort());
  // What touches a block comes before its end, which others may bring about.
  if (segment.accesses.some(({ generation }) => generation !== 0)) return;
  const thread = program.segments.findIndex((own) => own.includes(segment));
  const own = program.segments[thread]!;
  const end = own[own.indexOf(segment) + 1]?.seq ?? Number.POSITIVE_INFINITY;
  for (const { op, at, bytes } of events) {
    if (op !== Op.atomicRead) continue;
    for (const write of operations) {
      const access = write.segment.op === 'atomic' ? write.segment.access! : undefined;
      if (!access || !(access.flags & DH_WRITE) || write.thread === thread) continue;
      if (write.seq >= end || !truth.sharedBytes(access).some((byte) => bytes.includes(byte)))
        continue;
      expect(write.at, 'a read comes after what it may have seen').toBeLessThan(at);
    }
  }
}

function eventsOf(trace: ThreadTrace, generations: ReadonlyMap<number, number>): Event[] {
  const { variables, sites } = trace.tables;
  return Array.from({ length: trace.length }, (_, at): Event => {
    const [op, target, site] = [trace.opAt(at), trace.targetAt(at), trace.siteAt(at)];
    const row = isAccess(op) ? variables.row(target) : undefined;
    const generation = row && row.allocation !== NONE ? generations.get(row.allocation)! : 0;
    const bytes = row ? bytesOf({ ...row, generation, flags: 0 }) : [];
    const isAtomicInstruction =
      isAccess(op) && site !== NONE && sites.row(site).address === ATOMIC_SITE;
    return { at, op, target, isAtomicInstruction, bytes };
  }).filter(({ op }) => op !== Op.allocate);
}

/** Allocations at the same address come in their order. */
function generationsOfAllocations(
  { blocks }: RandomProgram,
  truth: Truth,
  trace: ThreadTrace,
): Map<number, number> {
  const shared = blocks.filter(({ generation }) => truth.isSharedBlock(generation));
  const { allocations } = trace.tables;
  expect(allocations.count).toBe(shared.length);
  const generations = new Map<number, number>();
  for (let row = 0; row < allocations.count; row++) {
    const { address, size } = allocations.row(row);
    const at = shared.findIndex((block) => block.address === address && block.size === size);
    expect(at).toBeGreaterThanOrEqual(0);
    generations.set(row, shared.splice(at, 1)[0]!.generation);
  }
  return generations;
}

/** Blocks are allocated before they are touched, and not touched after they are freed. */
function expectLiving(trace: ThreadTrace): void {
  const alive = new Set<number>();
  for (let at = 0; at < trace.length; at++) {
    const [op, target] = [trace.opAt(at), trace.targetAt(at)];
    if (op === Op.allocate) alive.add(target);
    if (op === Op.free) expect(alive.delete(target)).toBe(true);
    if (!isAccess(op)) continue;
    const { allocation } = trace.tables.variables.row(target);
    if (allocation !== NONE) expect(alive.has(allocation), 'its block is alive').toBe(true);
  }
}

/** All shared bytes, each in one variable; apart if, and only if, an access tells them apart. */
function expectVariables(
  truth: Truth,
  trace: ThreadTrace,
  generations: ReadonlyMap<number, number>,
): void {
  const { variables } = trace.tables;
  const variableOf = new Map<string, number>();
  for (let row = 0; row < variables.count; row++) {
    const { address, size, allocation } = variables.row(row);
    const generation = allocation === NONE ? 0 : generations.get(allocation)!;
    expect(Math.floor(address / 8)).toBe(Math.floor((address + size - 1) / 8));
    for (const byte of bytesOf({ address, size, generation, flags: 0 })) {
      expect(variableOf.has(byte)).toBe(false);
      variableOf.set(byte, row);
    }
  }
  expect(sorted(new Set(variableOf.keys()))).toEqual(sorted(truth.shared));
  for (const [byte, row] of variableOf) {
    const [generation, address] = byte.split(':').map(Number) as [number, number];
    const next = variableOf.get(byteOf(generation, address + 1));
    if (next === undefined || address % 8 === 7) continue;
    const isSplit = truth.accesses.some(
      ({ access }) =>
        access.generation === generation && isIn(access, address) !== isIn(access, address + 1),
    );
    const isEdge = truth.accesses.some(
      ({ access }) =>
        access.generation === generation &&
        (access.address === address + 1 || access.address + access.size === address + 1),
    );
    expect(next !== row).toBe(isSplit || isEdge);
  }
}

const isIn = ({ address, size }: TrueAccess, byte: number): boolean =>
  byte >= address && byte < address + size;
