/**
 * Code whose locks nobody can see: the C library, the loader, other allocators and OpenMP's library lock their
 * heaps, streams and lists with instructions of their own, so that all they touch would look unprotected. Only what works on memory it was
 * given counts there, which is what copies, compares and searches: functions that call nobody, have no atomic
 * instruction and nothing of their own, and go through memory with vector registers or string instructions.
 *
 *   memcpy, strlen, memset     count
 *   free, puts, dlopen         do not
 */

import { basename } from 'node:path';
import { FlowControl, Register } from 'iced-x86';
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import { NOWHERE } from '../../../binary/code/instruction.ts';

const WITH_OWN_LOCKS =
  /^(ld-linux|ld-musl|ld-\d|ld\.so|libc[.-]|libpthread[.-]|libdl[.-]|librt[.-]|libresolv[.-]|libjemalloc|libtcmalloc|libmimalloc|libgomp[.-]|libdeadheat|deadheat-agent|linux-vdso|\[vdso\])/;

export const hasOwnLocks = (path: string): boolean => WITH_OWN_LOCKS.test(basename(path));

export function worksOnGivenMemory({ instructions, start, end }: FunctionCode): boolean {
  let isThrough = false;
  for (const {
    flow,
    isAtomic,
    memory,
    operands,
    repetition,
    relativeOperand,
    target,
  } of instructions) {
    if (flow === FlowControl.Call || flow === FlowControl.IndirectCall || isAtomic) return false;
    const leaves = target !== NOWHERE && (target < start || target >= end);
    if (leaves && flow === FlowControl.ConditionalBranch) return false;
    for (const { place, isWritten } of memory) {
      if (place === 'fs' || place === 'gs') return false;
      if (isWritten && relativeOperand !== NOWHERE) return false;
    }
    isThrough ||= repetition !== 'none' || operands.some(({ register }) => isVector(register));
  }
  return isThrough;
}

const isVector = (register: Register): boolean =>
  register >= Register.XMM0 && register <= Register.ZMM31;
