/**
 * Who has called whom in a kernel, from a processor's registers and its stack, by ORC tables (orc-table.ts).
 *
 *   0xffffffff812f4ac7 → 0xffffffff812f5563 → 0xffffffff81c0a0b1 → …until user code, or where nobody knows
 *
 * Where an interrupt came, it goes on with the registers that were saved then. If a table says nothing, what looks
 * like return addresses on the stack is told as a guess.
 */
import type { RunnerRegisters } from '../debug-target.ts';
import type { ReadMemory } from '../gdb/remote-system.ts';
import { OrcBase, type OrcEntry } from './orc-table.ts';

export interface KernelFrame {
  readonly address: bigint;
  /** Behind a call, rather than where it stands. */
  readonly isReturn: boolean;
  readonly isGuess: boolean;
}

export interface UnwindSource {
  readonly read: ReadMemory;
  readonly orcAt: (address: bigint) => Promise<OrcEntry | undefined>;
  readonly isCode: (address: bigint) => boolean;
}

interface State {
  rip: bigint;
  rsp: bigint;
  rbp: bigint;
  /** Known where it stands, and where registers were saved; callers' are not. */
  others: { rdx: bigint; rdi: bigint; r10: bigint; r13: bigint } | undefined;
  isReturn: boolean;
}

const MOST_FRAMES = 64;
const MOST_GUESSES = 16;
const SCANNED = 2048;
/** `struct pt_regs` of <asm/ptrace.h>. */
const Saved = {
  r13: 16,
  rbp: 32,
  r10: 56,
  rdx: 96,
  rdi: 112,
  rip: 128,
  cs: 136,
  rsp: 152,
  size: 168,
} as const;

export async function unwind(
  registers: RunnerRegisters,
  source: UnwindSource,
): Promise<KernelFrame[]> {
  const get = registers.get.bind(registers);
  let state: State | undefined = {
    rip: get('rip'),
    rsp: get('rsp'),
    rbp: get('rbp'),
    others: { rdx: get('rdx'), rdi: get('rdi'), r10: get('r10'), r13: get('r13') },
    isReturn: false,
  };
  const frames: KernelFrame[] = [];
  while (state !== undefined && source.isCode(state.rip) && frames.length < MOST_FRAMES) {
    frames.push({ address: state.rip, isReturn: state.isReturn, isGuess: false });
    const entry = await source.orcAt(state.isReturn ? state.rip - 1n : state.rip);
    if (entry === undefined) return [...frames, ...(await guessed(state.rsp, source))];
    const caller: State | undefined = await callerOf(state, entry, source.read);
    // Stacks grow down; those of interrupts are elsewhere, and lead to one that does.
    if (caller?.isReturn && caller.rsp <= state.rsp && isOnSameStack(caller.rsp, state.rsp)) break;
    state = caller;
  }
  return frames;
}

const STACK = 1n << 14n;
const isOnSameStack = (a: bigint, b: bigint): boolean => a / STACK === b / STACK;

async function callerOf(
  state: State,
  entry: OrcEntry,
  read: ReadMemory,
): Promise<State | undefined> {
  if (entry.kind === 'none') return undefined;
  const word = async (address: bigint): Promise<bigint | undefined> => {
    const bytes = Buffer.from(await read(address, 8));
    return bytes.length === 8 ? bytes.readBigUInt64LE() : undefined;
  };
  const stack = await previousStack(state, entry, word);
  if (stack === undefined) return undefined;
  if (entry.kind === 'call') {
    const rip = await word(stack - 8n);
    const rbp = await previousRbp(state, entry, stack, word);
    if (rip === undefined || rbp === undefined) return undefined;
    return { rip, rsp: stack, rbp, others: undefined, isReturn: true };
  }
  const isWhole = entry.kind === 'registers';
  const start = isWhole ? stack : stack - BigInt(Saved.rip);
  const skipped = isWhole ? 0 : Saved.rip;
  const bytes = Buffer.from(await read(start + BigInt(skipped), Saved.size - skipped));
  if (bytes.length < Saved.size - skipped) return undefined;
  const saved = (at: number): bigint => bytes.readBigUInt64LE(at - skipped);
  const cameFromUser = (saved(Saved.cs) & 3n) !== 0n;
  if (cameFromUser) return undefined;
  const others = isWhole
    ? { rdx: saved(Saved.rdx), rdi: saved(Saved.rdi), r10: saved(Saved.r10), r13: saved(Saved.r13) }
    : state.others;
  const rbp = isWhole ? saved(Saved.rbp) : state.rbp;
  return { rip: saved(Saved.rip), rsp: saved(Saved.rsp), rbp, others, isReturn: false };
}

type Word = (address: bigint) => Promise<bigint | undefined>;

/** The stack pointer right before the call. */
async function previousStack(
  state: State,
  entry: OrcEntry,
  word: Word,
): Promise<bigint | undefined> {
  const offset = BigInt(entry.stackOffset);
  const plus = (base: bigint | undefined): bigint | undefined =>
    base === undefined ? undefined : BigInt.asUintN(64, base + offset);
  switch (entry.stackBase) {
    case OrcBase.rsp:
      return plus(state.rsp);
    case OrcBase.rbp:
      return plus(state.rbp);
    case OrcBase.rspIndirect:
      return plus(await word(state.rsp));
    case OrcBase.rbpIndirect:
      return await word(BigInt.asUintN(64, state.rbp + offset));
    case OrcBase.rdx:
      return state.others?.rdx;
    case OrcBase.rdi:
      return state.others?.rdi;
    case OrcBase.r10:
      return state.others?.r10;
    case OrcBase.r13:
      return state.others?.r13;
    default:
      return undefined;
  }
}

async function previousRbp(
  state: State,
  entry: OrcEntry,
  stack: bigint,
  word: Word,
): Promise<bigint | undefined> {
  const offset = BigInt(entry.rbpOffset);
  if (entry.rbpBase === OrcBase.previousStack)
    return await word(BigInt.asUintN(64, stack + offset));
  if (entry.rbpBase === OrcBase.rbp) return await word(BigInt.asUintN(64, state.rbp + offset));
  return state.rbp;
}

async function guessed(stack: bigint, { read, isCode }: UnwindSource): Promise<KernelFrame[]> {
  const bytes = Buffer.from(await read(stack, SCANNED));
  const frames: KernelFrame[] = [];
  for (let at = 0; at + 8 <= bytes.length && frames.length < MOST_GUESSES; at += 8) {
    const address = bytes.readBigUInt64LE(at);
    if (isCode(address)) frames.push({ address, isReturn: true, isGuess: true });
  }
  return frames;
}
