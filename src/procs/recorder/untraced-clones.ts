/**
 * A program may ask clone(2) for a child that no tracer follows (CLONE_UNTRACED). That child would
 * keep our seccomp filter but have no tracer to answer it, and so see ENOSYS everywhere. The flag
 * is therefore taken away as the call is entered.
 */
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory, writeMemory } from '../../linux/process-memory.ts';
import { readRegisters, writeRegisters } from '../../linux/ptrace.ts';
import type { StopAt } from '../../linux/seccomp.ts';
import { syscallNumber } from '../../linux/syscalls.ts';

/** Source: <linux/sched.h>. */
const CLONE_UNTRACED = 0x0080_0000;

const CLONE = syscallNumber('clone');
const CLONE3 = syscallNumber('clone3');

/** Where to stop for this; it is not recorded. The flags of clone3 are in memory, out of a filter's sight. */
export const CLONE_STOPS: readonly StopAt[] = [
  { number: CLONE, except: { argument: 0, ifNoBit: CLONE_UNTRACED } },
  { number: CLONE3 },
];

const FLAG = BigInt(CLONE_UNTRACED);

export function keepTraced(task: Tid, number: number): void {
  if (number === CLONE) {
    const registers = readRegisters(task);
    const flags = registers.get('rdi');
    if (!(flags & FLAG)) return;
    registers.set('rdi', flags & ~FLAG);
    writeRegisters(task, registers);
  } else if (number === CLONE3) {
    // The flags are the first word of struct clone_args.
    const address = traceeAddress(readRegisters(task).get('rdi'));
    const word = readMemory(task, address, 8);
    const flags = word.length === 8 ? word.readBigUInt64LE(0) : 0n;
    if (!(flags & FLAG)) return;
    word.writeBigUInt64LE(flags & ~FLAG, 0);
    writeMemory(task, address, word);
  }
}
