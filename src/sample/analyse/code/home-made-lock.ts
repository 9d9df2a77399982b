/**
 * Whether an access looks as if a lock of the program's own making were held: made of atomic instructions, and perhaps
 * futexes, as that of Rust's std::sync::Mutex. The agent sees calls of pthread only, and none of these.
 *
 *   lock cmpxchg [rbx],ecx      takes the word at +0 …
 *   inc qword ptr [rbx+8]       ← the access
 *   xchg [rbx],eax              … and lets go of it; so does `mov dword ptr [rbx],0`
 *
 * From the access backwards, one must come to what takes a word, and not to what lets go of it; and forwards to another
 * atomic, or a store, of that word. A call counts for what the called function does to words, no deeper. Words are told
 * apart by their addresses, or by how far they lie behind a register, which may be another one each time. What only
 * counts (`lock inc`, `lock xadd`) takes nothing: references are counted so.
 */
import { FlowControl, Mnemonic, OpKind } from 'iced-x86';
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import { NO_REGISTER, RBP, type RegisterSet, RSP } from '../../../binary/code/general-registers.ts';
import type { Instruction, MemoryOperand } from '../../../binary/code/instruction.ts';
import { nearest, waysOf } from './nearest-on-ways.ts';

type Deed = 'takes' | 'lets go';
/** By word. */
type Deeds = Map<string, Deed>;

/** @param calledAt the function of the same image that begins at an address. */
export function isInHomeMadeLock(
  code: FunctionCode,
  place: number,
  calledAt: (address: number) => FunctionCode | undefined,
): boolean {
  const takers = new Set(code.instructions.flatMap((one, at) => takenBase(code, one, at)));
  const deeds = code.instructions.map((one, at): Deeds => {
    const called = one.flow === FlowControl.Call ? calledAt(one.target) : undefined;
    return called ? deedsOfCall(called) : deedsOf(code, one, at, (base) => takers.has(base));
  });
  const words = new Set(
    deeds.flatMap((one) => [...one].flatMap(([word, deed]) => (deed === 'takes' ? word : []))),
  );
  const { before, after } = waysOf(code);
  return [...words].some((word) => {
    const at = (one: number): Deed | undefined => deeds[one]!.get(word);
    const behind = nearest(place, before, at);
    return behind.has('takes') && !behind.has('lets go') && nearest(place, after, at).size > 0;
  });
}

function deedsOf(
  code: FunctionCode,
  one: Instruction,
  at: number,
  isLockBase: (base: number) => boolean,
): Deeds {
  const deeds: Deeds = new Map();
  for (const operand of one.memory) {
    if (!operand.isWritten || operand.place !== 'memory' || operand.base === RSP) continue;
    // Any structure has something that lies as far behind its beginning: a plain store must be by the same register.
    const counts = one.isAtomic || operand.base === NO_REGISTER || isLockBase(operand.base);
    if (counts) deeds.set(wordOf(operand), takes(code, one, at) ? 'takes' : 'lets go');
  }
  return deeds;
}

/** One that takes a word and lets go of it by atomic instructions has done with it. */
function deedsOfCall(called: FunctionCode): Deeds {
  const deeds = (isLockBase: (base: number) => boolean): [string, Deed][] =>
    called.instructions.flatMap((one, at) => [...deedsOf(called, one, at, isLockBase)]);
  const atomic = deeds(() => false);
  const taken = new Set(atomic.filter(([, deed]) => deed === 'takes').map(([word]) => word));
  const left = new Set(atomic.filter(([, deed]) => deed === 'lets go').map(([word]) => word));
  // A short function that only stores is what lets go of a spin lock.
  const all = deeds((base) => base !== RBP).filter(([word]) => !taken.has(word) || !left.has(word));
  return new Map(all.map(([word, deed]) => [word, taken.has(word) ? 'takes' : deed]));
}

const takenBase = (code: FunctionCode, one: Instruction, at: number): number[] =>
  takes(code, one, at) ? one.memory.map(({ base }) => base) : [];

const wordOf = ({ base, index, displacement, size }: MemoryOperand): string =>
  base === NO_REGISTER && index === NO_REGISTER
    ? `at ${displacement}`
    : `${size} bytes at +${displacement}`;

function takes(code: FunctionCode, one: Instruction, at: number): boolean {
  if (!one.isAtomic) return false;
  if (one.mnemonic === Mnemonic.Xchg) return !isZero(code, one.writes, at);
  return one.mnemonic === Mnemonic.Cmpxchg || one.mnemonic === Mnemonic.Bts;
}

/** `xor eax,eax` or `mov eax,0`, and then `xchg [rbx],eax`; before a loop perhaps, and then `mov eax,r8d`. */
function isZero(code: FunctionCode, registers: RegisterSet, at: number): boolean {
  let place = at - 1;
  while (place >= 0 && (code.instructions[place]!.writes & registers) === 0) {
    if (isTested(code, registers, place)) return true;
    place--;
  }
  const setter = code.instructions[place];
  const [first, second] = setter?.operands ?? [];
  if (setter?.mnemonic === Mnemonic.Xor) return first?.register === second?.register;
  if (setter?.mnemonic !== Mnemonic.Mov || second === undefined) return false;
  if (second.kind === OpKind.Register) return isZero(code, setter.reads, place);
  const size = CONSTANT_SIZES.get(second.kind) ?? 0;
  const end = setter.address - code.start + setter.length;
  return size > 0 && code.bytes.subarray(end - size, end).every((byte) => byte === 0);
}

/** `test edx,edx` and `jne` to somewhere else, as behind `while (exchange(lock, 1))`. */
const isTested = ({ instructions }: FunctionCode, registers: RegisterSet, at: number): boolean =>
  instructions[at]!.mnemonic === Mnemonic.Test &&
  instructions[at]!.reads === registers &&
  instructions[at + 1]?.mnemonic === Mnemonic.Jne;

const CONSTANT_SIZES = new Map([
  [OpKind.Immediate8, 1],
  [OpKind.Immediate16, 2],
  [OpKind.Immediate32, 4],
  [OpKind.Immediate32to64, 4],
  [OpKind.Immediate64, 8],
]);
