/**
 * A RUN record: `count` accesses of `size` bytes, `stride` bytes apart; the stride is positive here. For what
 * is touched, and in which pieces, a run without gaps is as good as one long access.
 */
import type { AgentLog } from '../../linux/agent-log.ts';

export interface StridedRun {
  readonly address: number;
  readonly stride: number;
  readonly count: number;
  readonly size: number;
}

export function runOf(log: AgentLog): StridedRun {
  const { address, stride, count, small: size } = log;
  if (stride >= 0) return { address, stride, count: stride === 0 ? 1 : count, size };
  return { address: address + (count - 1) * stride, stride: -stride, count, size };
}

/** Bytes from its first to its last. */
export const spanOf = ({ stride, count, size }: StridedRun): number => (count - 1) * stride + size;

/** Whether an access of it touches [start, end). */
export function runTouches(run: StridedRun, start: number, end: number): boolean {
  const { address, stride, count, size } = run;
  const first = stride === 0 ? 0 : Math.max(0, Math.floor((start - size - address) / stride) + 1);
  return first < count && address + first * stride < end && address + first * stride + size > start;
}

/**
 * Where the accesses of a run without gaps begin, as bits of each granule; undefined if the run has gaps, or
 * its accesses begin elsewhere in each granule.
 *
 *   4 bytes each, from 0x1004 on   →   0b00010001 for all of its granules
 */
export function uniformStarts({ address, stride, size }: StridedRun): number | undefined {
  if (stride !== size || size === 0) return undefined;
  if (size % 8 === 0) return 1 << (address & 7);
  if (8 % size !== 0) return undefined;
  let starts = 0;
  for (let at = address & 7; at < (address & 7) + 8; at += size) starts |= 1 << (at & 7);
  return starts;
}
