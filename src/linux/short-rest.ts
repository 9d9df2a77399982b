/**
 * A rest of less than a few milliseconds, exact to a tenth of one, which timers of the event loop are not: they
 * know whole milliseconds only. The thread stands still, event loop and all.
 */
import { libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';

const ppoll = libcFunction(
  'int ppoll(uintptr_t files, ulong count, uintptr_t time, uintptr_t signals)',
);

const time = allocate(4096);
const TIME = Number(time.address);

/** A signal that somebody listens to (`process.on`) ends it. */
export function shortRest(milliseconds: number): void {
  const nanoseconds = Math.max(0, Math.round(milliseconds * 1e6));
  time.bytes.writeBigInt64LE(BigInt(Math.floor(nanoseconds / 1e9)), 0);
  time.bytes.writeBigInt64LE(BigInt(nanoseconds % 1e9), 8);
  ppoll(0, 0, TIME, 0);
}
