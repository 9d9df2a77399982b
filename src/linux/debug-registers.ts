/**
 * The four hardware watchpoints of an x86 thread, set through ptrace. DR0…DR3 hold addresses,
 * DR7 says what to watch there, DR6 which one fired (Intel SDM volume 3, chapter "Debug").
 *
 *   watch(tracee, 0, { address, size: 8, on: 'write' });
 *   …SIGTRAP…
 *   firedSlots(tracee)  // [0]
 */
import type { Tid, TraceeAddress } from './ids.ts';
import { peekUser, pokeUser } from './ptrace.ts';

export type WatchSlot = 0 | 1 | 2 | 3;

export interface Watchpoint {
  address: TraceeAddress;
  size: 1 | 2 | 4 | 8;
  /** x86 cannot watch reads alone. */
  on: 'write' | 'read-or-write' | 'execute';
}

/** offsetof(struct user, u_debugreg), <sys/user.h>. */
const DEBUG_REGISTERS_AT = 848;
const STATUS = 6;
const CONTROL = 7;

const SIZE_BITS = { 1: 0n, 2: 1n, 4: 3n, 8: 2n } as const;
const CONDITION_BITS = { execute: 0n, write: 1n, 'read-or-write': 3n } as const;

export function watch(tracee: Tid, slot: WatchSlot, point: Watchpoint): void {
  const control = cleared(read(tracee, CONTROL), slot);
  write(tracee, CONTROL, control);
  write(tracee, slot, point.address);
  const condition = CONDITION_BITS[point.on] | (SIZE_BITS[point.size] << 2n);
  write(tracee, CONTROL, control | enableBit(slot) | (condition << BigInt(16 + 4 * slot)));
}

export function unwatch(tracee: Tid, slot: WatchSlot): void {
  write(tracee, CONTROL, cleared(read(tracee, CONTROL), slot));
  write(tracee, slot, 0n);
}

/** Which watchpoints fired since the last call; forgets them. */
export function firedSlots(tracee: Tid): WatchSlot[] {
  const status = read(tracee, STATUS);
  write(tracee, STATUS, 0n);
  return ([0, 1, 2, 3] as const).filter((slot) => (status >> BigInt(slot)) & 1n);
}

const enableBit = (slot: WatchSlot): bigint => 1n << BigInt(2 * slot);

function cleared(control: bigint, slot: WatchSlot): bigint {
  return control & ~(enableBit(slot) | (0xfn << BigInt(16 + 4 * slot)));
}

function read(tracee: Tid, register: number): bigint {
  return peekUser(tracee, DEBUG_REGISTERS_AT + 8 * register);
}

function write(tracee: Tid, register: number, value: bigint): void {
  pokeUser(tracee, DEBUG_REGISTERS_AT + 8 * register, value);
}
