/**
 * Which instruction has touched watched bytes, of a runner that stands behind it:
 *
 *   0x1139  add [rip+0x2ef1],1      ← this one, since it ends
 *   0x1140  mov eax,0               ← here, where the runner stands
 *
 * A string instruction that goes on stands on itself (`rep movsb`). After a call through memory the runner is at the
 * start of another function, and the call is what ends where that returns to. Jumps through memory and returns
 * leave no trace: then nobody knows. A runner that stands behind an access to other bytes has not touched these at all:
 * a stub may tell of a watchpoint only when the next one is there already, as QEMU does if somebody else stopped first.
 */
import { FlowControl } from 'iced-x86';
import { NO_REGISTER } from '../binary/code/general-registers.ts';
import { overlap } from '../binary/code/touched-memory.ts';
import type { ByteRange } from './caught.ts';
import type { DebugTarget, RunnerRegisters, WatchedBytes, WatchedFor } from './debug-target.ts';
import {
  type PlacedInstruction,
  touchedBy,
  type WatchedCode,
  type WatchedFunction,
} from './watched-code.ts';

/** What was watched. */
export interface Touched {
  readonly pieces: readonly WatchedBytes[];
  readonly on: WatchedFor;
}

/** `nobody`: not this runner. */
export async function whoTouched(
  target: Pick<DebugTarget, 'read'>,
  code: WatchedCode,
  registers: RunnerRegisters,
  touched: Touched,
): Promise<PlacedInstruction | 'nobody' | undefined> {
  const at = registers.get('rip');
  const ending = endingAt(await code.functionAt(at - 1n), at);
  // A return that happens to stand before this function is not how anybody came here.
  const before = ending?.instruction.flow === FlowControl.Next ? ending : undefined;
  const mayBeBefore = before !== undefined && mayHaveTouched(before, touched);
  if (mayBeBefore && saysSo(before, registers, touched)) return before;
  const own = await code.instructionAt(at);
  if (own !== undefined && isStillRepeating(own, registers, touched)) return own;
  if (mayBeBefore && !keepsItsAddresses(before)) return before;
  const call = await callBefore(target, code, registers, touched);
  return call ?? (before && keepsItsAddresses(before) ? 'nobody' : undefined);
}

/**
 * All that it has touched there: of `mov [rdi+7],al` one byte, although eight were watched. undefined if its address is
 * lost, as that of `mov rdi,[rdi]` and of a copy that has moved on.
 */
export function bytesTouched(
  place: PlacedInstruction | undefined,
  registers: RunnerRegisters,
  pieces: readonly WatchedBytes[],
): ByteRange | undefined {
  if (place === undefined || !keepsItsAddresses(place)) return undefined;
  const found = touchedBy(place, registers).find((bytes) =>
    pieces.some((piece) => overlap(bytes, piece)),
  );
  return found && { address: found.address, size: found.size };
}

function endingAt(
  inside: WatchedFunction | undefined,
  address: bigint,
): PlacedInstruction | undefined {
  if (inside === undefined) return undefined;
  const end = Number(address - inside.place.start);
  const instruction = inside.instructions.find((one) => one.address + one.length === end);
  return instruction && { inside, instruction };
}

const mayHaveTouched = ({ instruction }: PlacedInstruction, { on }: Touched): boolean =>
  instruction.memory.some(({ isWritten }) => on === 'load-or-store' || isWritten);

/** Whether it has touched memory, and left all registers alone that its addresses were made of. */
const keepsItsAddresses = ({ instruction: { memory, writes } }: PlacedInstruction): boolean =>
  memory.length > 0 &&
  memory.every(
    ({ base, index, place }) =>
      place !== 'pushed' &&
      place !== 'scattered' &&
      [base, index].every((one) => one === NO_REGISTER || (writes & (1 << one)) === 0),
  );

/** By registers as they are now: if it has changed them itself, a no means nothing. */
const saysSo = (
  place: PlacedInstruction,
  registers: RunnerRegisters,
  { pieces }: Touched,
): boolean =>
  touchedBy(place, registers).some((bytes) => pieces.some((piece) => overlap(bytes, piece)));

/** As far behind its own registers as a processor may be that moves many bytes at once. */
const LARGEST_STEP = 64n;

function isStillRepeating(
  { instruction }: PlacedInstruction,
  registers: RunnerRegisters,
  { pieces }: Touched,
): boolean {
  if (instruction.repetition === 'none') return false;
  return (['rsi', 'rdi'] as const).some((name) => isAround(registers.get(name), pieces));
}

/** Whether a string instruction that has come to this address has just been there. */
export const isAround = (address: bigint, pieces: readonly WatchedBytes[]): boolean =>
  pieces.some((piece) =>
    overlap({ address: address - LARGEST_STEP, size: 2 * Number(LARGEST_STEP) }, piece),
  );

async function callBefore(
  target: Pick<DebugTarget, 'read'>,
  code: WatchedCode,
  registers: RunnerRegisters,
  touched: Touched,
): Promise<PlacedInstruction | undefined> {
  const word = Buffer.from(await target.read(registers.get('rsp'), 8));
  if (word.length < 8) return undefined;
  const returnsTo = word.readBigUInt64LE();
  const call = endingAt(await code.functionAt(returnsTo - 1n), returnsTo);
  const isOne =
    call?.instruction.flow === FlowControl.IndirectCall &&
    call.instruction.memory.some(({ place }) => place !== 'pushed') &&
    mayHaveTouched(call, touched);
  return isOne ? call : undefined;
}
