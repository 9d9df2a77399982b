/**
 * Which waits of a schedule nobody signals, by the rule of predictions (csp/program/wakes.ts): in the order of
 * the schedule, each signal wakes that one of those who wait which goes on first.
 */
import { LogOp } from '../../linux/agent-protocol.ts';
import type { Step, StepKind } from '../csp/program/step.ts';
import { markLapsedWaits } from '../csp/program/wakes.ts';
import type { ScheduleStep } from './step-maker.ts';

const KINDS: Readonly<Record<number, StepKind>> = {
  [LogOp.DH_OP_WAIT_BEGIN]: 'waitBegin',
  [LogOp.DH_OP_WAIT_END]: 'woken',
  [LogOp.DH_OP_SIGNAL]: 'signal',
  [LogOp.DH_OP_BROADCAST]: 'broadcast',
};

/** The same steps; of each end of a wait it is said whether it lapsed. */
export function withLapsedWaits(steps: readonly ScheduleStep[]): ScheduleStep[] {
  const conditions = new Map<number, Step[]>();
  for (const [at, { thread, op, object }] of steps.entries()) {
    const kind = KINDS[op];
    if (kind === undefined || object === undefined) continue;
    const own = conditions.get(object) ?? [];
    conditions.set(object, own);
    own.push({ kind, thread, object, need: 0, make: 0, event: at, at });
  }
  const lapsed = new Set<number>();
  for (const own of conditions.values()) {
    markLapsedWaits(own);
    for (const { kind, at } of own) if (kind === 'lapsed') lapsed.add(at);
  }
  return steps.map((step, at) => (lapsed.has(at) ? { ...step, isLapsed: true } : step));
}
