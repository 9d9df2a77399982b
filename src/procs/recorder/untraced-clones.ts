/**
 * A program may ask clone(2) for a child that no tracer follows (CLONE_UNTRACED). That child would
 * keep our seccomp filter but have no tracer to answer it, and so see ENOSYS everywhere. The flag
 * is therefore taken away as the call is entered.
 */
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory, writeMemory } from '../../linux/process-memory.ts';
import { readRegisters, writeRegisters } from '../../linux/ptrace.ts';
import { syscallNumber } from '../../linux/syscalls.ts';

/** Source: <linux/sched.h>. */
const CLONE_UNTRACED = 0x0080_0000n;

const CLONE = syscallNumber('clone');
const CLONE3 = syscallNumber('clone3');

/** The calls to stop at for this; they are not recorded. */
export const CLONE_NUMBERS: readonly number[] = [CLONE, CLONE3];

export function keepTraced(task: Tid, number: number): void {
  if (number === CLONE) {
    const registers = readRegisters(task);
    const flags = registers.get('rdi');
    if (!(flags & CLONE_UNTRACED)) return;
    registers.set('rdi', flags & ~CLONE_UNTRACED);
    writeRegisters(task, registers);
  } else if (number === CLONE3) {
    // The flags are the first word of struct clone_args.
    const address = traceeAddress(readRegisters(task).get('rdi'));
    const word = readMemory(task, address, 8);
    const flags = word.length === 8 ? word.readBigUInt64LE(0) : 0n;
    if (!(flags & CLONE_UNTRACED)) return;
    word.writeBigUInt64LE(flags & ~CLONE_UNTRACED, 0);
    writeMemory(task, address, word);
  }
}
