/**
 * Seccomp filters: which system calls stop the tracee (SECCOMP_RET_TRACE) or fail, so that all
 * others run at full speed. A filter is a classic BPF program:
 *
 *   load architecture; not x86-64 → what is done with foreign calls
 *   load number; marked as x32 → the same
 *   number >= 230? … >= 110? … → allow, trace, refuse, or look at an argument first
 *
 * Neighbours that are treated alike form a range, and a tree of comparisons finds the range: about
 * eight steps for hundreds of calls. The kernel works out in advance which numbers are allowed
 * whatever their arguments, and then does not even run the filter for them.
 */
import { assert } from '../base/assert.ts';
import { syscallNumber } from './syscalls.ts';

/** Source: <linux/filter.h>, <linux/seccomp.h>, <linux/audit.h>. */
const LOAD_WORD = 0x20;
const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
/** Comes back with each stop, and so tells our stops from those of the program's own filters. */
export const OUR_MARK = 0xdead;
const SECCOMP_RET_ERRNO = 0x0005_0000;
const SECCOMP_RET_TRACE = 0x7ff0_0000 | OUR_MARK;
const SECCOMP_RET_ALLOW = 0x7fff_0000;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;
const AUDIT_ARCH_X86_64 = 0xc000_003e;
/** Source: <asm/unistd.h>. */
const X32_BIT = 0x4000_0000;

/** Jump distances of comparisons are one byte. */
const FARTHEST = 255;

/** Whether a stopped call is of the kind that this project models: plain x86-64. */
export const isNativeCall = (architecture: number, number: number): boolean =>
  architecture === AUDIT_ARCH_X86_64 && (number & X32_BIT) === 0;

/** Arguments for which a call does not stop. */
export interface Exception {
  argument: number;
  /** If any of these bits is set in the argument; absent: if the argument is 0. */
  ifAnyBit?: number;
  /** Instead: if none of these bits is set. */
  ifNoBit?: number;
  /** Instead: if it is none of these. */
  unlessOneOf?: readonly number[];
}

export interface StopAt {
  number: number;
  except?: Exception | undefined;
}

/** Stops at these calls, and at all foreign ones, so that they are noticed. */
export function traceOnly(calls: readonly StopAt[]): Buffer {
  const trace = returning(SECCOMP_RET_TRACE);
  const leaves = calls.map(({ number, except }) => {
    return [number, except ? unless(except, trace) : trace] as const;
  });
  return filter(new Map(leaves), trace);
}

/** Makes these calls fail, as if the kernel did not have them; nothing ever stops. */
export function refuseOnly(names: readonly string[], errno: number): Buffer {
  const refuse = returning(SECCOMP_RET_ERRNO | errno);
  return filter(new Map(names.map((name) => [syscallNumber(name), refuse])), ALLOW);
}

const ALLOW = returning(SECCOMP_RET_ALLOW);

function filter(leaves: ReadonlyMap<number, Buffer>, foreign: Buffer): Buffer {
  return Buffer.concat([
    instruction(LOAD_WORD, ARCHITECTURE_AT),
    instruction(JUMP_IF_EQUAL, AUDIT_ARCH_X86_64, 1, 0),
    foreign,
    instruction(LOAD_WORD, NUMBER_AT),
    instruction(JUMP_IF_ANY_BIT, X32_BIT, 0, 1),
    foreign,
    tree(ranges(leaves)),
  ]);
}

interface Range {
  from: number;
  leaf: Buffer;
}

function ranges(leaves: ReadonlyMap<number, Buffer>): Range[] {
  const found: Range[] = [{ from: 0, leaf: leaves.get(0) ?? ALLOW }];
  const end = Math.max(0, ...leaves.keys()) + 1;
  for (let number = 1; number <= end; number++) {
    const leaf = leaves.get(number) ?? ALLOW;
    if (!leaf.equals(found.at(-1)!.leaf)) found.push({ from: number, leaf });
  }
  return found;
}

/** Every leaf ends in a return, so subtrees can stand one after the other. */
function tree(sorted: readonly Range[]): Buffer {
  if (sorted.length === 1) return sorted[0]!.leaf;
  const middle = sorted.length >> 1;
  const lower = tree(sorted.slice(0, middle));
  const upper = tree(sorted.slice(middle));
  const distance = lower.length / 8;
  const { from } = sorted[middle]!;
  const test =
    distance <= FARTHEST
      ? instruction(JUMP_IF_AT_LEAST, from, distance, 0)
      : Buffer.concat([instruction(JUMP_IF_AT_LEAST, from, 0, 1), instruction(JUMP, distance)]);
  return Buffer.concat([test, lower, upper]);
}

/** An argument has 64 bits, which are loaded by halves. */
function unless({ argument, ifAnyBit, ifNoBit, unlessOneOf }: Exception, leaf: Buffer): Buffer {
  const at = ARGUMENTS_AT + 8 * argument;
  if (unlessOneOf) {
    const comparisons = unlessOneOf.map((value, index) =>
      instruction(JUMP_IF_EQUAL, value, unlessOneOf.length - index, 0),
    );
    return Buffer.concat([instruction(LOAD_WORD, at), ...comparisons, ALLOW, leaf]);
  }
  const bits = ifAnyBit ?? ifNoBit;
  if (bits !== undefined) {
    assert(leaf.length === 8, 'a leaf of one instruction');
    const [ifSet, ifClear] = ifAnyBit === undefined ? [leaf, ALLOW] : [ALLOW, leaf];
    return Buffer.concat([
      instruction(LOAD_WORD, at),
      instruction(JUMP_IF_ANY_BIT, bits, 1, 0),
      ifClear,
      ifSet,
    ]);
  }
  return Buffer.concat([
    instruction(LOAD_WORD, at),
    instruction(JUMP_IF_EQUAL, 0, 0, 3),
    instruction(LOAD_WORD, at + 4),
    instruction(JUMP_IF_EQUAL, 0, 0, 1),
    ALLOW,
    leaf,
  ]);
}

function returning(action: number): Buffer {
  return instruction(RETURN, action);
}

/** `struct sock_filter`: where to jump from the next instruction if true, if false. */
function instruction(code: number, operand: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return bytes;
}
