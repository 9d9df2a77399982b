/**
 * Has this thread stay on one processor, the last that it may use. The kernel puts whoever is woken close to whoever
 * wakes it: a thread of a program that we stop and let go a hundred times a second would follow us from one processor to
 * the other, and for milliseconds share one with the thread that it works with, while the other has nothing to do.
 *
 * Only for a real-time thread, which has that processor at once; and for what it starts meanwhile, too.
 */
import { tryTo } from '../base/result.ts';
import { allocate } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';

/** As large as the kernel's may be: for 8192 processors. */
const SET_BYTES = 1024;
const memory = allocate(SET_BYTES);

/** How to be as before again. */
export function stayOnOneProcessor(): () => void {
  memory.bytes.fill(0);
  const asked = tryTo(() => rawSyscall('sched_getaffinity', [0, SET_BYTES, memory.address]));
  if (!asked.ok) return () => {};
  const before = Buffer.from(memory.bytes);
  const last = before.findLastIndex((byte) => byte !== 0);
  const only = Buffer.alloc(SET_BYTES);
  only[last] = 1 << (31 - Math.clz32(before[last]!));
  void tryTo(() => runOn(only));
  return () => void tryTo(() => runOn(before));
}

function runOn(set: Buffer): void {
  set.copy(memory.bytes);
  rawSyscall('sched_setaffinity', [0, SET_BYTES, memory.address]);
}
