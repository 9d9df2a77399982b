/**
 * Loops that go straight on from their first instruction to the jump back, unless they are left:
 *
 *   again: cmp byte ptr [rdi],0
 *          je found               left here, in the middle of an iteration,
 *          add rdi,1
 *          cmp rdi,rsi
 *          jne again              or here, at its end
 *
 * So each instruction runs once in each iteration, but for the last. Nobody enters such a loop but at its first
 * instruction; there are no calls in it, and nothing that could take a thread elsewhere without being seen.
 */
import { FlowControl, Mnemonic } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';

/** Places of the first instruction and of the jump back. */
export interface StraightLoop {
  readonly start: number;
  readonly end: number;
}

const LONGEST_LOOP = 128;

/**
 * @param isTarget for each instruction, whether a jump in the function leads there.
 * @param isEntry whether anybody else may come to this address.
 */
export function straightLoops(
  code: FunctionCode,
  isTarget: Uint8Array,
  isEntry: (address: number) => boolean,
): StraightLoop[] {
  const loops: StraightLoop[] = [];
  for (let end = 0; end < code.jumps.length; end++) {
    const start = code.jumps[end]!;
    if (start < 0 || start > end || end - start >= LONGEST_LOOP) continue;
    const loop = { start, end };
    if (goesStraight(code, loop, isTarget) && !isEnteredInside(code, loop, isEntry)) {
      loops.push(loop);
    }
  }
  return loops;
}

function goesStraight(
  { instructions, jumps }: FunctionCode,
  { start, end }: StraightLoop,
  isTarget: Uint8Array,
): boolean {
  for (let place = start; place < end; place++) {
    if (isTarget[place + 1]) return false;
    const { flow } = instructions[place]!;
    const isExit = flow === FlowControl.ConditionalBranch && !isWithin(jumps[place]!, start, end);
    if (flow !== FlowControl.Next && !isExit) return false;
  }
  return true;
}

const isWithin = (place: number, start: number, end: number): boolean =>
  place >= start && place <= end;

function isEnteredInside(
  { instructions }: FunctionCode,
  { start, end }: StraightLoop,
  isEntry: (address: number) => boolean,
): boolean {
  // Whoever calls a function that begins with endbr64 is sent to what follows (patches.ts).
  if (instructions[start]!.mnemonic === Mnemonic.Endbr64) return true;
  for (let place = start + 1; place <= end; place++) {
    if (isEntry(instructions[place]!.address)) return true;
  }
  return false;
}
