/** The calls by which a program asks the kernel for something that nobody could foretell. */
import { encodeBytes } from '../../base/bytes.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { recordedCall } from './recorded-calls.ts';

export const GETRANDOM = syscallNumber('getrandom');

/** Those that may read a random device into one buffer, at argument 1. */
export const DEVICE_READS: ReadonlySet<number> = new Set(['read', 'pread64'].map(syscallNumber));

/** How a call tells the time: in the memory at an argument, two words, the second of so many a second. */
export interface ClockCall {
  readonly argument: number;
  readonly fractions: number;
  /** Which clock it reads is its first argument; otherwise CLOCK_REALTIME. */
  readonly hasClock?: true;
  /** It has only the first word, and that is its result too. */
  readonly isResult?: true;
}

export const CLOCK_CALLS: ReadonlyMap<number, ClockCall> = new Map<number, ClockCall>([
  [syscallNumber('clock_gettime'), { argument: 1, fractions: 1_000_000_000, hasClock: true }],
  [syscallNumber('gettimeofday'), { argument: 0, fractions: 1_000_000 }],
  [syscallNumber('time'), { argument: 0, fractions: 1, isResult: true }],
]);

const CLOCK_REALTIME = 0;
export const clockOf = ({ hasClock }: ClockCall, [first = 0]: readonly number[]): number =>
  hasClock ? first | 0 : CLOCK_REALTIME;

/** CPU time is not repeated, whoever asks for it. */
const CLOCKS: ReadonlySet<number> = new Set(
  recordedCall(syscallNumber('clock_gettime'))?.skipped?.unlessOneOf,
);
export const isRepeatedClock = (clock: number): boolean => CLOCKS.has(clock);

/** Who makes one is nobody else's business: they have no place in the order of a run. */
export const MADE_UP_CALLS: ReadonlySet<number> = new Set([GETRANDOM, ...CLOCK_CALLS.keys()]);

const NANOSECONDS = 1_000_000_000n;

/** A point of time as its two words, and the other way round; in nanoseconds. */
export const fromWords = (seconds: bigint, fraction: bigint, { fractions }: ClockCall): bigint =>
  seconds * NANOSECONDS + fraction * (NANOSECONDS / BigInt(fractions));
export const toWords = (time: bigint, { fractions }: ClockCall): readonly [bigint, bigint] => [
  time / NANOSECONDS,
  (time % NANOSECONDS) / (NANOSECONDS / BigInt(fractions)),
];

/** What a recorded call said the time was. */
export function recordedTime({ result, data }: CallRecord, call: ClockCall): bigint | undefined {
  if (result < 0) return undefined;
  if (call.isResult) return fromWords(BigInt(result), 0n, call);
  const bytes = data === undefined ? undefined : encodeBytes(data);
  if (bytes?.length !== 16) return undefined;
  return fromWords(bytes.readBigInt64LE(0), bytes.readBigInt64LE(8), call);
}
