/**
 * Who has called whom, of a thread that stands still: from its registers and its stack, by the unwind tables of
 * the files that its code is from.
 *
 *   #0 transfer   bank.c:31
 *   #1 worker     bank.c:52
 *   #2 ??         libc.so.6+0x89134
 *
 * It ends where nothing says how to go on, as in code that no file has.
 */
import { basename } from 'node:path';
import { imageAddress } from '../binary/image-address.ts';
import {
  callerOf,
  type FrameRegisters,
  RETURN_ADDRESS,
  STACK_POINTER,
} from '../binary/unwind/caller.ts';
import { type Tid, traceeAddress } from '../linux/ids.ts';
import { readMemory } from '../linux/process-memory.ts';
import type { RegisterName, Registers } from '../linux/registers.ts';
import { unlessGone } from '../linux/tracee-stop.ts';
import type { Site } from '../report/model.ts';
import type { CodeImage, LoadedImages } from './loaded-images.ts';

const MOST_FRAMES = 100;

/** By DWARF's numbers (psABI, figure 3.36). */
const REGISTER_NAMES: readonly RegisterName[] = [
  ...(['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp'] as const),
  ...(['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'rip'] as const),
];

export const frameRegisters = (registers: Pick<Registers, 'get'>): FrameRegisters =>
  REGISTER_NAMES.map((name) => registers.get(name));

/** Of a thread of which only these two are known, such as one that sleeps in a call. */
export function sleepingRegisters(instruction: bigint, stack: bigint): FrameRegisters {
  const registers: (bigint | undefined)[] = new Array(REGISTER_NAMES.length);
  registers[RETURN_ADDRESS] = instruction;
  registers[STACK_POINTER] = stack;
  return registers;
}

export function stackTrace(task: Tid, innermost: FrameRegisters, images: LoadedImages): Site[] {
  return stackOf(innermost, images, (address) => {
    const bytes = unlessGone(() => readMemory(task, traceeAddress(address), 8), undefined);
    return bytes?.length === 8 ? bytes.readBigUInt64LE() : undefined;
  });
}

/** The same of any thread, `word` being what it has in memory. */
export function stackOf(
  innermost: FrameRegisters,
  images: Pick<LoadedImages, 'at'>,
  word: (address: bigint) => bigint | undefined,
): Site[] {
  const sites: Site[] = [];
  let registers: FrameRegisters | undefined = innermost;
  // A call may be a function's last instruction, so that it returns to where the next one begins.
  let isReturnAddress = false;
  for (let frames = 0; registers !== undefined && frames < MOST_FRAMES; frames++) {
    const at = registers[RETURN_ADDRESS]! - (isReturnAddress ? 1n : 0n);
    const loaded = images.at(at);
    if (loaded === undefined) break;
    const { image, bias, stackMoved } = loaded;
    const address = Number(at - bias);
    sites.push(...sitesAt(image, address));
    const fde = image.fdeAt(address);
    if (fde === undefined) break;
    if (stackMoved !== undefined) registers = movedBack(registers, stackMoved);
    const below = registers[STACK_POINTER];
    registers = callerOf(fde, address, registers, word);
    const above = registers?.[STACK_POINTER];
    // Stacks grow down; a signal's may be elsewhere.
    if (above !== undefined && below !== undefined && above <= below && !fde.cie.isSignalFrame)
      break;
    isReturnAddress = !fde.cie.isSignalFrame;
  }
  return sites;
}

function movedBack(registers: FrameRegisters, amount: bigint): FrameRegisters {
  const moved = registers.slice();
  const below = moved[STACK_POINTER];
  moved[STACK_POINTER] = below === undefined ? undefined : below + amount;
  return moved;
}

/** An address of an image: the innermost function, then those that it was inlined into. */
export function sitesAt({ names, path }: CodeImage, address: number): Site[] {
  return names.framesAt(imageAddress(address)).map(({ function: name, file, line }) => ({
    ...(name !== '' && { function: name }),
    ...(file !== '' && { file }),
    ...(line > 0 && { line }),
    module: basename(path),
    address: `0x${address.toString(16)}`,
  }));
}
