/**
 * How much time a run has in which two threads are to meet, by how long the traced run took. That was slower
 * than one without a trace, so whoever takes several times as long waits for something that does not come.
 */
import { statSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { StandOffLimits } from './side.ts';

const STALL_MS = 300;
const ATTEMPTS = 3;
const SHORTEST_PATIENCE_MS = 5000;
const SHORTEST_RUN_MS = 30_000;

/** `timeoutMs`: what the user says, for one run. */
export function limitsFor(tracedMs: number, timeoutMs: number | undefined): StandOffLimits {
  const runMs = timeoutMs ?? Math.max(SHORTEST_RUN_MS, 4 * tracedMs);
  return {
    stallMs: STALL_MS,
    patienceMs: Math.min(runMs, Math.max(SHORTEST_PATIENCE_MS, 2 * tracedMs)),
    runMs,
    endMs: runMs,
    attempts: ATTEMPTS,
  };
}

/** From the start of the run until its trace was complete. */
export function tracedMs({ traceFile, info }: Pick<Run, 'traceFile' | 'info'>): number {
  const end = statSync(encodeBytes(traceFile)).mtimeMs;
  return Math.max(0, end - Date.parse(info.startedAt));
}
