/**
 * A seccomp filter that stops the tracee at chosen system calls only (SECCOMP_RET_TRACE), so that
 * all others run at full speed. It is a classic BPF program:
 *
 *   load architecture; not x86-64 → trace     (so that 32-bit calls are noticed)
 *   load number; marked as x32 → trace        (the same, for pointers of 32 bits)
 *   equal to one of the list → trace; otherwise → allow
 */
import { assert } from '../base/assert.ts';

/** Source: <linux/filter.h>, <linux/seccomp.h>, <linux/audit.h>. */
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
/** Comes back with each stop, and so tells our stops from those of the program's own filters. */
export const OUR_MARK = 0xdead;
const SECCOMP_RET_TRACE = 0x7ff0_0000 | OUR_MARK;
const SECCOMP_RET_ALLOW = 0x7fff_0000;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const AUDIT_ARCH_X86_64 = 0xc000_003e;
/** Source: <asm/unistd.h>. */
const X32_BIT = 0x4000_0000;

/** Jump distances are one byte. */
const MOST_CALLS = 250;

/** Whether a stopped call is of the kind that this project models: plain x86-64. */
export const isNativeCall = (architecture: number, number: number): boolean =>
  architecture === AUDIT_ARCH_X86_64 && (number & X32_BIT) === 0;

export function traceOnly(numbers: readonly number[]): Buffer {
  assert(numbers.length <= MOST_CALLS, `a filter holds ${MOST_CALLS} calls, not ${numbers.length}`);
  const toTrace = (index: number): number => numbers.length - index;
  return Buffer.concat([
    instruction(LOAD_WORD, ARCHITECTURE_AT),
    instruction(JUMP_IF_EQUAL, AUDIT_ARCH_X86_64, 0, numbers.length + 3),
    instruction(LOAD_WORD, NUMBER_AT),
    instruction(JUMP_IF_ANY_BIT, X32_BIT, numbers.length + 1, 0),
    ...numbers.map((number, index) => instruction(JUMP_IF_EQUAL, number, toTrace(index), 0)),
    instruction(RETURN, SECCOMP_RET_ALLOW),
    instruction(RETURN, SECCOMP_RET_TRACE),
  ]);
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
