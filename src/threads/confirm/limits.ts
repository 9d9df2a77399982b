/**
 * How much time a run has in which two threads are to meet, by how long the traced run took. That was slower
 * than one without a trace, so whoever takes longer still waits for something that does not come.
 */
import type { StandOffLimits } from './side.ts';

const STALL_MS = 300;
const ATTEMPTS = 3;
const SHORTEST_PATIENCE_MS = 3000;
const SHORTEST_RUN_MS = 10_000;

/** `timeoutMs`: what the user says, for one run. */
export function limitsFor(tracedMs: number, timeoutMs: number | undefined): StandOffLimits {
  const runMs = timeoutMs ?? Math.max(SHORTEST_RUN_MS, 2 * tracedMs);
  return {
    stallMs: STALL_MS,
    patienceMs: Math.min(runMs, Math.max(SHORTEST_PATIENCE_MS, tracedMs)),
    runMs,
    endMs: runMs,
    attempts: ATTEMPTS,
  };
}
