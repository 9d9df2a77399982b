/**
 * perf_event_open(2) for one thread: counting, sampling and watching memory.
 *
 *   const clock = openEvent({ event: { type: 'software', name: 'cpu-clock' }, target: 0 });
 *   …work…
 *   readCount(clock)   // nanoseconds of CPU time this thread used
 *   closeEvent(clock)
 *
 * An event with a period or a frequency writes its samples into a ring that the caller maps with
 * `mapShared`: one control page and a power of two of data pages. perf-samples.ts reads samples.
 */
import { closeSync, readSync } from 'node:fs';
import { unreachable } from '../base/assert.ts';
import type { Brand } from '../base/brand.ts';
import type { Tid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';
import { checked } from './system-error.ts';

export type PerfEventFd = Brand<number, 'PerfEventFd'>;

/** `enum perf_hw_id`, <linux/perf_event.h>. */
const HARDWARE = {
  cycles: 0n,
  instructions: 1n,
  'cache-references': 2n,
  'cache-misses': 3n,
  branches: 4n,
  'branch-misses': 5n,
} as const;

/** `enum perf_sw_ids`, <linux/perf_event.h>. */
const SOFTWARE = {
  'cpu-clock': 0n,
  'task-clock': 1n,
  'page-faults': 2n,
  'context-switches': 3n,
  'cpu-migrations': 4n,
} as const;

/** `HW_BREAKPOINT_*`, <linux/hw_breakpoint.h>. */
const BREAKPOINT = { write: 2, 'read-or-write': 3, execute: 4 } as const;

/** `enum perf_type_id`, <linux/perf_event.h>. */
const Type = { hardware: 0, software: 1, raw: 4, breakpoint: 5 } as const;

/** Where each field of `struct perf_event_attr` stands, <linux/perf_event.h>. Unknown tails may be left out. */
const Attribute = {
  type: 0,
  size: 4,
  config: 8,
  periodOrFrequency: 16,
  sampleType: 24,
  flags: 40,
  wakeupEvents: 48,
  breakpointType: 52,
  breakpointAddress: 56,
  breakpointLength: 64,
  userRegisters: 80,
  userStack: 88,
  clock: 92,
  signalData: 120,
  SIZE: 128,
} as const;

/** Bits of the flags word of `struct perf_event_attr`, <linux/perf_event.h>. */
const Flag = {
  disabled: 1n << 0n,
  excludeUser: 1n << 4n,
  excludeKernel: 1n << 5n,
  excludeHypervisor: 1n << 6n,
  frequency: 1n << 10n,
  otherClock: 1n << 25n,
  removeOnExec: 1n << 36n,
  signal: 1n << 37n,
} as const;
const PRECISE_SHIFT = 15n;

/** `enum perf_event_sample_format`, <linux/perf_event.h>: what a sample holds, in this order. */
export const SampleField = {
  instruction: 1 << 0,
  thread: 1 << 1,
  time: 1 << 2,
  address: 1 << 3,
  cpu: 1 << 7,
  userRegisters: 1 << 12,
  userStack: 1 << 13,
  dataSource: 1 << 15,
} as const;

/** `PERF_FLAG_FD_CLOEXEC` and `PERF_EVENT_IOC_*`, <linux/perf_event.h>. */
const CLOSE_ON_EXEC = 8;
const Ioctl = { enable: 0x2400, disable: 0x2401, refresh: 0x2402, reset: 0x2403 } as const;
/** <linux/time.h>. */
const CLOCK_MONOTONIC = 1;

export type PerfEvent =
  | { type: 'hardware'; name: keyof typeof HARDWARE }
  | { type: 'software'; name: keyof typeof SOFTWARE }
  | { type: 'breakpoint'; address: bigint; size: 1 | 2 | 4 | 8; on: keyof typeof BREAKPOINT }
  /** The number that the processor's manual gives; `pmu` is the `type` file of another unit, such as AMD's ibs_op. */
  | { type: 'raw'; config: bigint; pmu?: number };

export interface EventOptions {
  event: PerfEvent;
  /** A thread, on whichever CPU it runs; 0 is the calling thread. */
  target: Tid | 0;
  /** A sample every so many events, or about so many samples a second. Without it, only a count. */
  every?: { events: number | bigint } | { perSecond: number };
  /** `SampleField` bits. */
  sample?: number;
  /** Bits of <asm/perf_regs.h>; needs `SampleField.userRegisters`. */
  userRegisters?: bigint;
  /** So many bytes of it; needs `SampleField.userStack`. */
  userStack?: number;
  /** Times of samples are those of CLOCK_MONOTONIC, which programs can read, too. */
  monotonic?: boolean;
  /** How exactly the sampled instruction must be known: 0 anywhere near, 3 to the instruction. */
  precise?: 0 | 1 | 2 | 3;
  /** Counting inside the kernel needs more privileges. */
  includeKernel?: boolean;
  startDisabled?: boolean;
  /**
   * The thread gets SIGTRAP for each event, before its next instruction; the signal's TRAP_PERF information
   * has this word (ptrace.ts, `trapCause`). Needs Linux 5.13, and the right to trace the thread.
   */
  signalData?: bigint;
}

const attributes = allocate(4096);
const ioctl = libcFunction('int ioctl(int fd, ulong request, ulong argument)');

export function openEvent(options: EventOptions): PerfEventFd {
  attributes.bytes.fill(0, 0, Attribute.SIZE);
  putNumber(Attribute.size, Attribute.SIZE);
  putEvent(options.event);
  putSampling(options);
  let flags = Flag.excludeHypervisor | (BigInt(options.precise ?? 0) << PRECISE_SHIFT);
  if (!options.includeKernel) flags |= Flag.excludeKernel;
  if (options.startDisabled) flags |= Flag.disabled;
  if (options.every && 'perSecond' in options.every) flags |= Flag.frequency;
  if (options.signalData !== undefined) {
    flags |= Flag.signal | Flag.removeOnExec;
    putWord(Attribute.signalData, options.signalData);
  }
  if (options.monotonic) {
    flags |= Flag.otherClock;
    putNumber(Attribute.clock, CLOCK_MONOTONIC);
  }
  putWord(Attribute.flags, flags);
  const anyCpu = -1;
  const noGroup = -1;
  const args = [attributes.address, options.target, anyCpu, noGroup, CLOSE_ON_EXEC];
  const shownAs = [describe(options), options.target, anyCpu, noGroup, CLOSE_ON_EXEC];
  return rawSyscall('perf_event_open', args, shownAs) as PerfEventFd;
}

/** Events since the event was opened; 0 when the CPU had no counter free all that time. */
export function readCount(event: PerfEventFd): bigint {
  const word = Buffer.alloc(8);
  readSync(event, word);
  return word.readBigUInt64LE(0);
}

export function controlEvent(
  event: PerfEventFd,
  action: Exclude<keyof typeof Ioctl, 'refresh'>,
): void {
  checked('ioctl', [event, action], ioctl(event, Ioctl[action], 0));
}

/** Enables the event for so many more samples, after which it is disabled. */
export function allowSamples(event: PerfEventFd, samples: number): void {
  checked('ioctl', [event, 'refresh', samples], ioctl(event, Ioctl.refresh, samples));
}

export function closeEvent(event: PerfEventFd): void {
  closeSync(event);
}

function putEvent(event: PerfEvent): void {
  putNumber(Attribute.type, event.type === 'raw' ? (event.pmu ?? Type.raw) : Type[event.type]);
  putWord(Attribute.config, configOf(event));
  if (event.type !== 'breakpoint') return;
  putNumber(Attribute.breakpointType, BREAKPOINT[event.on]);
  putWord(Attribute.breakpointAddress, event.address);
  putWord(Attribute.breakpointLength, BigInt(event.size));
}

function configOf(event: PerfEvent): bigint {
  switch (event.type) {
    case 'hardware':
      return HARDWARE[event.name];
    case 'software':
      return SOFTWARE[event.name];
    case 'raw':
      return event.config;
    case 'breakpoint':
      return 0n;
  }
  return unreachable(event, 'perf event');
}

function putSampling({ every, sample, userRegisters, userStack }: EventOptions): void {
  if (every) {
    const value = 'events' in every ? every.events : every.perSecond;
    putWord(Attribute.periodOrFrequency, BigInt(value));
    putNumber(Attribute.wakeupEvents, 1);
  }
  putWord(Attribute.sampleType, BigInt(sample ?? 0));
  putWord(Attribute.userRegisters, userRegisters ?? 0n);
  putNumber(Attribute.userStack, userStack ?? 0);
}

function putNumber(at: number, value: number): void {
  attributes.bytes.writeUInt32LE(value, at);
}

function putWord(at: number, value: bigint): void {
  attributes.bytes.writeBigUInt64LE(value, at);
}

/** For error messages: `software cpu-clock`, `breakpoint write 8 at 0x7f00…, precise 2`. */
function describe({ event, precise }: EventOptions): string {
  const exactness = precise ? `, precise ${precise}` : '';
  switch (event.type) {
    case 'hardware':
    case 'software':
      return `${event.type} ${event.name}${exactness}`;
    case 'breakpoint':
      return `breakpoint ${event.on} ${event.size} at 0x${event.address.toString(16)}`;
    case 'raw':
      return `raw 0x${event.config.toString(16)}${exactness}`;
  }
  return unreachable(event, 'perf event');
}
