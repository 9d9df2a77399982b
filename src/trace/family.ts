/**
 * What a trace file holds. All of them are chunks behind a header (chunk.ts), but what is in the chunks
 * differs: records of processes and their system calls, or events of threads. The header says which, in
 * the upper half of its version:
 *
 *   0x0000_0003   family 0, format 3: processes
 *   0x0001_0001   family 1, format 1: threads
 *
 * A deadheat from before there were families reads the second as format 65537, and says that it is too
 * old for it, which is true.
 */
import { formatVersion } from './records/record.ts';

export interface TraceFamily {
  /** Never given out again. */
  readonly code: number;
  /** `was written for processes, not for threads` */
  readonly name: string;
  /** The newest one, which is written; all older ones can be read. */
  readonly formatVersion: number;
}

export const processFamily: TraceFamily = { code: 0, name: 'processes', formatVersion };

const half = 0x10000;

export function headerVersion({ code, formatVersion }: TraceFamily): number {
  return code * half + formatVersion;
}

export function splitVersion(version: number): { code: number; format: number } {
  return { code: Math.floor(version / half), format: version % half };
}
