/** Why a race that was put together from samples may be harmless. It is told beside the race, and never hides it. */
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import type { Instruction } from '../../../binary/code/instruction.ts';
import { spinLoads } from '../../../binary/code/spin-loads.ts';
import {
  isStatisticsCounter,
  LOOKS_LIKE_STATISTICS,
} from '../../../binary/code/statistics-counter.ts';

import type { CodeDoubts } from './doubts.ts';

export interface RacingInstruction {
  readonly instruction: Instruction;
  readonly bytesOf: (one: Instruction) => Uint8Array;
  readonly code: FunctionCode;
}

/** undefined for a side that is not known. */
export function benignReason(
  sides: readonly (RacingInstruction | undefined)[],
  { isAtomicSide, isHandedOver, homeMadeLocks }: CodeDoubts,
  isAtomicElsewhere: boolean,
): string | undefined {
  const known = sides.filter((side) => side !== undefined);
  if (known.some(isWaiting)) {
    return 'one side waits in a loop for what the other stores: it looks like a hand-over';
  }
  if (isAtomicSide) {
    return 'one side is atomic: the other may be an atomic load or store, which look like plain ones';
  }
  if (isAtomicElsewhere) {
    return 'the same bytes are changed by atomic instructions elsewhere: it may be a lock of the program, or meant to be atomic';
  }
  if (isHandedOver) {
    return (
      'each side stores an atomic variable that the other looks at first, as in a queue: deadheat_send and ' +
      'deadheat_receive of include/deadheat.h tell of it'
    );
  }
  if (homeMadeLocks === sides.length) {
    return (
      "both sides lie between atomic instructions that look like a lock of the program's own making, which cannot be " +
      'seen: deadheat_lock and deadheat_unlock of include/deadheat.h tell of it'
    );
  }
  const isCounter = ({ instruction, bytesOf, code }: RacingInstruction): boolean =>
    isStatisticsCounter(instruction, bytesOf, code.instructions);
  return known.length === sides.length && known.every(isCounter)
    ? LOOKS_LIKE_STATISTICS
    : undefined;
}

const isWaiting = ({ instruction, code }: RacingInstruction): boolean =>
  spinLoads(code, () => false).some(({ address }) => address === instruction.address);
