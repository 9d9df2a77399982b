/** The bytes that a call has taken from a file or put into it, such as the program's input, out of the tracee's memory. */
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory } from '../../linux/process-memory.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { LONGEST_DATA, type Taken } from '../model/recorded/shape.ts';
import type { OpenCall } from './open-call.ts';
import { INPUT_PIECE, MOST_STEPS } from './program-input.ts';

const MSG_PEEK = 2;
const IOVEC_SIZE = 16;
/** msg_iov and msg_iovlen in struct msghdr, <linux/socket.h>. */
const VECTORS_IN_MESSAGE = 16;

export interface TakenInput {
  pieces: readonly Buffer[];
  isWhole: boolean;
}

/** undefined if it has taken nothing of a file that is wanted; `longest`: no more than so much of it. */
export function takenInput(
  task: Tid,
  isWanted: (file: KernelFile | undefined) => boolean,
  { shape, args, file, file2 }: OpenCall,
  result: number,
  longest = result,
): TakenInput | undefined {
  const takes = shape.takes ?? shape.gives;
  if (!takes || result <= 0 || peeks(shape, args)) return undefined;
  if (takes.into === 'elsewhere') {
    return isWanted(file) || isWanted(file2) ? { pieces: [], isWhole: false } : undefined;
  }
  if (takes.into === 'data' ? result <= LONGEST_DATA : !isWanted(file)) return undefined;
  return collect(task, takes.into, args, Math.min(result, longest));
}

/** Whether it moves bytes of `file` where they can be seen. */
export function movesBytes({ shape, args }: OpenCall): boolean {
  const into = (shape.takes ?? shape.gives)?.into;
  const isOfFile = into !== undefined && into !== 'elsewhere' && into !== 'data';
  return isOfFile && !peeks(shape, args);
}

const peeks = ({ takes }: OpenCall['shape'], args: readonly number[]): boolean =>
  takes?.flags !== undefined && ((args[takes.flags] ?? 0) & MSG_PEEK) !== 0;

type Seen = Exclude<Taken['into'], 'elsewhere'>;
type Buffers = Iterable<readonly [address: number, length: number]>;

function* buffersOf(task: Tid, into: Seen, args: readonly number[], result: number): Buffers {
  const [first = 0, address = 0, count = 0] = args;
  if (into === 'buffer') yield [address, result];
  else if (into === 'data') yield [first, result];
  else if (into === 'vectors') yield* vectors(task, address, count);
  else {
    const [place] = [...vectors(task, address + VECTORS_IN_MESSAGE, 1)];
    if (place) yield* vectors(task, ...place);
  }
}

function* vectors(task: Tid, address: number, count: number): Buffers {
  for (let index = 0; index < count; index++) {
    const bytes = readMemory(task, traceeAddress(BigInt(address + IOVEC_SIZE * index)), IOVEC_SIZE);
    if (bytes.length < IOVEC_SIZE) return;
    yield [Number(bytes.readBigUInt64LE(0)), Number(bytes.readBigUInt64LE(8))];
  }
}

function collect(task: Tid, into: Seen, args: readonly number[], total: number): TakenInput {
  const pieces: Buffer[] = [];
  let left = total;
  let steps = into === 'buffer' || into === 'data' ? -1 : 0;
  for (const [address, length] of buffersOf(task, into, args, total)) {
    if (++steps > MOST_STEPS) break;
    for (let done = 0; done < length && left > 0; ) {
      if (++steps > MOST_STEPS) return { pieces, isWhole: false };
      const size = Math.min(INPUT_PIECE, length - done, left);
      const bytes = readMemory(task, traceeAddress(BigInt(address + done)), size);
      if (bytes.length < size) return { pieces, isWhole: false };
      pieces.push(bytes);
      done += size;
      left -= size;
    }
    if (left === 0) break;
  }
  return { pieces, isWhole: left === 0 };
}
