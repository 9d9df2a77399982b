/**
 * How many have to have arrived at a barrier before somebody leaves it. The trace does not say for how
 * many a barrier is: if it looks as if always the same number arrived and then left, it is that.
 *
 *   arrive A, arrive B, leave B, leave A, arrive B, arrive A, leave A, leave B      for two, in two rounds
 *
 *   leave in round 1: after 2 arrivals, in round 2: after 4; arrive in round 2: after 2
 *
 * Otherwise all arrivals keep their order, and whoever leaves does so after all those before it.
 */
import type { Step } from './step.ts';

/** Says in each step how many arrivals it needs; all are of one barrier, in the order of the trace. */
export function setArrivalsNeeded(steps: readonly Step[]): void {
  const firstLeave = steps.findIndex((step) => step.kind === 'leave');
  const size = firstLeave < 0 ? steps.length : firstLeave;
  const needs = size === 0 ? undefined : needsByRounds(steps, size);
  let arrived = 0;
  for (const [i, step] of steps.entries()) {
    step.need = needs === undefined ? arrived : needs[i]!;
    if (step.kind === 'arrive') arrived++;
  }
}

/** Undefined if it cannot be for so many. */
function needsByRounds(steps: readonly Step[], size: number): number[] | undefined {
  const roundOf = new Map<number, number>();
  const needs: number[] = [];
  let arrived = 0;
  for (const { kind, thread } of steps) {
    const round = Math.floor(arrived / size);
    if (kind === 'arrive') {
      if (roundOf.get(thread) === round) return undefined;
      roundOf.set(thread, round);
      needs.push(round * size);
      arrived++;
      continue;
    }
    const own = roundOf.get(thread);
    if (own === undefined || arrived < (own + 1) * size) return undefined;
    needs.push((own + 1) * size);
  }
  return needs;
}
