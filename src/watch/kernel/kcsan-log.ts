/** From a race that was caught in a kernel to what KCSAN would have printed; both runners still stand. */
import type { Access, Site } from '../../report/model.ts';
import type { CaughtRace, CaughtSide } from '../caught.ts';
import type { Found } from '../caught-races.ts';
import type { DebugTarget } from '../debug-target.ts';
import { type KcsanAccess, kcsanText } from './kcsan.ts';
import type { KernelSystem } from './kernel-system.ts';

/** What a number of that many bytes can be. */
const LONGEST_NUMBER = 8;

export async function kcsanReport(
  race: CaughtRace,
  { accesses: [first, second] }: Found,
  target: DebugTarget,
  kernel: KernelSystem,
): Promise<string> {
  const { held, other, before, after } = race;
  const side = (one: CaughtSide, told: Access): Promise<KcsanAccess> =>
    kcsanAccess(one, told, race, target, kernel);
  const isNumber = before.length === after.length && before.length <= LONGEST_NUMBER;
  return kcsanText({
    held: await side(held, first!),
    heldName: first!.process,
    heldThread: first!.thread,
    other: other && second ? await side(other, second) : undefined,
    value: isNumber ? { before: numberIn(before), after: numberIn(after) } : undefined,
  });
}

async function kcsanAccess(
  { runner, place, isStore, isLoad, touched }: CaughtSide,
  { thread, threadName, site, stack }: Access,
  { access }: CaughtRace,
  target: DebugTarget,
  kernel: KernelSystem,
): Promise<KcsanAccess> {
  // KCSAN has no words for what is not known: the bytes that were watched are nearest to it.
  const { address, size } = touched ?? access;
  const { processor = runner } = await target.who(runner);
  const frames = (stack.length > 0 ? stack : [site]).filter(isCalled);
  return {
    ...{ address, size, isWrite: isStore, alsoReads: isStore && isLoad, processor },
    isMarked: place?.instruction.isAtomic ?? false,
    task: threadName === 'interrupt' ? undefined : thread,
    stack: await Promise.all(frames.map((frame) => kernel.frameText(frame))),
  };
}

/** A kernel knows nothing of what was inlined: of functions at one address, the outermost is told. */
const isCalled = ({ address, module }: Site, index: number, all: readonly Site[]): boolean =>
  address === undefined || address !== all[index + 1]?.address || module !== all[index + 1]?.module;

const numberIn = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);
