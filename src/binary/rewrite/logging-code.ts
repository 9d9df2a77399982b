/**
 * The code that logs a group:
 *
 *   again: mov  r11,fs:[cursor]
 *          cmp  r11,fs:[limit]
 *          jae  full                  full: lea rsp,[rsp-128]; call agent; lea rsp,[rsp+128]; jmp again
 *          mov  [r11+8],rbx           the values
 *          lea  r10,[rcx+rdx*8]
 *          mov  [r11+16],r10
 *          mov  [r11],42 | 2 << 27    the group's number, and how many values
 *          lea  r11,[r11+24]
 *          mov  fs:[cursor],r11
 *
 * with registers that nobody needs there, or else with ones that are kept in the thread's state meanwhile.
 * The cursor moves last: what a signal interrupts is not yet part of the buffer.
 */
import {
  ALL_REGISTERS,
  NO_REGISTER,
  RAX,
  type RegisterNumber,
  type RegisterSet,
  RSP,
  setOf,
} from '../code/general-registers.ts';
import type { AccessGroup } from './access-groups.ts';
import {
  advance,
  callAgent,
  compareThread,
  jump,
  jumpUnlessBelow,
  leaSum,
  loadThread,
  restoreFlags,
  saveFlags,
  store,
  storeRecordHead,
  storeThread,
} from './assembly.ts';
import type { CodeBuffer } from './code-buffer.ts';

/** To be put where nothing else runs: after the function. */
export interface FullPath {
  /** The 32 bits of the jump that leads there. */
  readonly jumpAt: number;
  /** Where to go on afterwards. */
  readonly again: number;
}

interface Scratch {
  readonly register: RegisterNumber;
  readonly isSaved: boolean;
}

export function emitLogging(
  to: CodeBuffer,
  group: AccessGroup,
  number: number,
  alive: RegisterSet,
  needsFlags: boolean,
): FullPath {
  const used = group.values.reduce(
    (set, { base, index }) => set | (base < 0 ? 0 : 1 << base) | (index < 0 ? 0 : 1 << index),
    setOf(RSP),
  );
  // Flags go through rax, which so must be none of the others.
  const taken = used | (needsFlags ? setOf(RAX) : 0);
  const cursor = chooseScratch(alive, taken);
  const sum = group.values.some(({ index }) => index !== NO_REGISTER)
    ? chooseScratch(alive, taken | setOf(cursor.register))
    : undefined;
  const savesRax = needsFlags && (alive & setOf(RAX)) !== 0;
  if (cursor.isSaved) storeThread(to, cursor.register, 'spill0');
  if (sum?.isSaved) storeThread(to, sum.register, 'spill1');
  const usesRax = (used & setOf(RAX)) !== 0;
  if (needsFlags) {
    if (savesRax || usesRax) storeThread(to, RAX, 'spill2');
    saveFlags(to);
  }
  const again = to.length;
  loadThread(to, cursor.register, 'cursor');
  compareThread(to, cursor.register, 'limit');
  const jumpAt = jumpUnlessBelow(to);
  if (needsFlags) {
    restoreFlags(to);
    if (savesRax || usesRax) loadThread(to, RAX, 'spill2');
  }
  for (const [place, { base, index, scale }] of group.values.entries()) {
    if (index !== NO_REGISTER && sum) leaSum(to, sum.register, base, index, scale);
    const from = index !== NO_REGISTER && sum ? sum.register : base;
    store(to, from, cursor.register, 8 * (place + 1));
  }
  storeRecordHead(to, number, group.values.length, cursor.register);
  advance(to, cursor.register, 8 * (group.values.length + 1));
  storeThread(to, cursor.register, 'cursor');
  if (sum?.isSaved) loadThread(to, sum.register, 'spill1');
  if (cursor.isSaved) loadThread(to, cursor.register, 'spill0');
  return { jumpAt, again };
}

export function emitFullPath(to: CodeBuffer, { jumpAt, again }: FullPath): void {
  to.pointTo(to.address, jumpAt);
  callAgent(to, 'full');
  const back = jump(to);
  to.pointTo(to.base + again, back);
}

/** Those that calls may change first: with a short encoding, they are free most often. */
const PREFERRED: readonly RegisterNumber[] = [11, 10, 9, 8, 0, 1, 2, 6, 7, 3, 5, 12, 13, 14, 15];

function chooseScratch(alive: RegisterSet, taken: RegisterSet): Scratch {
  const free = ALL_REGISTERS & ~alive & ~taken;
  const dead = PREFERRED.find((register) => (free & setOf(register)) !== 0);
  if (dead !== undefined) return { register: dead, isSaved: false };
  const any = PREFERRED.find((register) => (taken & setOf(register)) === 0);
  // Twelve values with two registers each could need all, if there were sixteen to choose from.
  if (any === undefined) throw new Error('a group that needs all registers');
  return { register: any, isSaved: true };
}
