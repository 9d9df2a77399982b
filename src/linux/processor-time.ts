/**
 * How much processor time others have used: a process that still runs, by /proc, and all children that have been
 * waited for, with those that these have waited for themselves.
 */
import { readFileSync } from 'node:fs';
import { tryTo } from '../base/result.ts';
import type { Pid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate, release } from './native-memory.ts';
import { checked } from './system-error.ts';

const getrusage = libcFunction('int getrusage(int who, uintptr_t usage)');

/** <sys/resource.h>. */
const RUSAGE_CHILDREN = -1;
const RUSAGE_SIZE = 144;
/** Ticks of /proc are 100 a second on every x86 kernel, whatever its clock does: USER_HZ, <asm/param.h>. */
const NS_PER_TICK = 1e7;

/** User and system time, in nanoseconds; 0 if it is gone. */
export function processorNsOf(process: Pid): number {
  const text = tryTo(() => readFileSync(`/proc/${process}/stat`, 'latin1'));
  if (!text.ok) return 0;
  const fields = text.value.slice(text.value.lastIndexOf(')') + 2).split(' ');
  // utime and stime are fields 14 and 15 of proc(5); the first of these is field 3.
  return (Number(fields[11]) + Number(fields[12])) * NS_PER_TICK;
}

export function processorNsOfChildren(): number {
  const memory = allocate(RUSAGE_SIZE);
  try {
    checked('getrusage', ['RUSAGE_CHILDREN'], getrusage(RUSAGE_CHILDREN, memory.address));
    const number = (at: number): number => Number(memory.bytes.readBigInt64LE(at));
    const seconds = number(0) + number(16);
    const microseconds = number(8) + number(24);
    return seconds * 1e9 + microseconds * 1000;
  } finally {
    release(memory);
  }
}
