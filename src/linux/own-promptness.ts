/**
 * How soon this thread gets a processor when it wakes while others use them all. As usual, that may be after the
 * turn of whoever runs: milliseconds, in which somebody who waits for us stands still.
 *
 *   real time       at once, before all usual threads: for root, CAP_SYS_NICE, or by RLIMIT_RTPRIO (`ulimit -r`);
 *                   it stays on one processor then (own-processor.ts)
 *   preferred       the lowest nice value, and short turns: by RLIMIT_NICE (`ulimit -e`)
 *   short turns     who asks for less at a time has its turn earlier: anybody may, from Linux 6.12 on
 *   usual           nothing of this is to be had
 *
 * It is for this thread alone: what it starts meanwhile is as usual. So it must not wait for our other threads, which
 * have no processor if others use them all: meanwhile it collects its garbage itself.
 */
import { setFlagsFromString } from 'node:v8';
import { tryTo } from '../base/result.ts';
import { allocate } from './native-memory.ts';
import { stayOnOneProcessor } from './own-processor.ts';
import { rawSyscall } from './raw-syscall.ts';

export type Promptness = 'real time' | 'preferred' | 'short turns' | 'usual';

/** Of `struct sched_attr`, <linux/sched/types.h>. */
interface Scheduling {
  readonly policy: number;
  readonly flags: bigint;
  readonly nice: number;
  readonly priority: number;
  /** How long a usual thread's turns are. Kernels before 6.12 forget it at once. */
  readonly turnNs: bigint;
}
/** As it was at first: without limits of a processor's speed. */
const SIZE = 48;

/** <linux/sched.h>. */
const SCHED_OTHER = 0;
const SCHED_RR = 2;
const SCHED_FLAG_RESET_ON_FORK = 1n;
const LOWEST_REAL_TIME = 1;
const LOWEST_NICE = -20;
/** The kernel gives none that are shorter. */
const SHORT_TURN_NS = 100_000n;

const ON_ITS_OWN = ['--no-parallel-scavenge'];
const AS_USUAL = ['--parallel-scavenge'];

const memory = allocate(4096);

/** As soon as this thread may; and how to be as before again. */
export function becomePrompt(): { readonly promptness: Promptness; readonly undo: () => void } {
  const before = scheduling();
  const usual = { ...before, flags: SCHED_FLAG_RESET_ON_FORK };
  const shortTurns = { ...usual, policy: SCHED_OTHER, priority: 0, turnNs: SHORT_TURN_NS };
  const ways: readonly (readonly [Promptness, Scheduling])[] = [
    ['real time', { ...usual, policy: SCHED_RR, priority: LOWEST_REAL_TIME }],
    ['preferred', { ...shortTurns, nice: LOWEST_NICE }],
    ['short turns', shortTurns],
  ];
  // Whoever is a real-time thread already, by the user's will, stays what it is.
  const allowed = before.priority > 0 ? undefined : ways.find(([, way]) => isTaken(way));
  const promptness = allowed?.[0] ?? 'usual';
  const move = promptness === 'real time' ? stayOnOneProcessor() : undefined;
  for (const flag of ON_ITS_OWN) setFlagsFromString(flag);
  const undo = (): void => {
    for (const flag of AS_USUAL) setFlagsFromString(flag);
    move?.();
    // Without privilege, the flag stays; it means nothing for usual threads.
    if (!tryTo(() => schedule(before)).ok)
      void tryTo(() => schedule({ ...before, flags: usual.flags }));
  };
  return { promptness, undo };
}

function isTaken(wanted: Scheduling): boolean {
  if (!tryTo(() => schedule(wanted)).ok) return false;
  const { policy, nice, turnNs } = scheduling();
  const isTurnTaken = wanted.policy !== SCHED_OTHER || turnNs === wanted.turnNs;
  return policy === wanted.policy && (isTurnTaken || nice < 0);
}

function scheduling(): Scheduling {
  rawSyscall('sched_getattr', [0, memory.address, SIZE, 0]);
  const { bytes } = memory;
  return {
    policy: bytes.readUInt32LE(4),
    flags: bytes.readBigUInt64LE(8),
    nice: bytes.readInt32LE(16),
    priority: bytes.readUInt32LE(20),
    turnNs: bytes.readBigUInt64LE(24),
  };
}

function schedule({ policy, flags, nice, priority, turnNs }: Scheduling): void {
  const { bytes } = memory;
  bytes.fill(0, 0, SIZE);
  bytes.writeUInt32LE(SIZE, 0);
  bytes.writeUInt32LE(policy, 4);
  bytes.writeBigUInt64LE(flags, 8);
  bytes.writeInt32LE(nice, 16);
  bytes.writeUInt32LE(priority, 20);
  bytes.writeBigUInt64LE(turnNs, 24);
  rawSyscall('sched_setattr', [0, memory.address, 0]);
}
