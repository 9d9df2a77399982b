/** How often the kernel looks at its clocks: no timer on processor time goes off more often than that. */
import { libcFunction } from './libc.ts';
import { allocate, release } from './native-memory.ts';
import { checked } from './system-error.ts';

const clockGetres = libcFunction('int clock_getres(int clock, uintptr_t resolution)');

/** <linux/time.h>: a clock that is only brought up to date at ticks. */
const CLOCK_MONOTONIC_COARSE = 6;

export function clockTickNs(): number {
  const memory = allocate(16);
  try {
    const result = clockGetres(CLOCK_MONOTONIC_COARSE, memory.address);
    checked('clock_getres', ['CLOCK_MONOTONIC_COARSE'], result);
    const seconds = Number(memory.bytes.readBigInt64LE(0));
    return seconds * 1e9 + Number(memory.bytes.readBigInt64LE(8));
  } finally {
    release(memory);
  }
}
