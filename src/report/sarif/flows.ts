/**
 * The interleaving of a race as a SARIF code flow: one thread flow for each task, and
 * `executionOrder` says how the steps of all of them interleave.
 *
 *   steps  14: openat   13: mkdir   14: exit
 *   flows  14: openat (1), exit (3)       13: mkdir (2)
 *
 * GitHub refuses a result with too many steps. The race is at the end of its interleaving, so
 * the end is what we keep.
 */
import type { CodeFlow, ThreadFlow } from 'sarif';
import type { Race, Step } from '../model.ts';
import { findTask, taskKey } from '../tasks.ts';
import { processName, threadName } from '../wording.ts';
import { githubLimits } from './limits.ts';
import { type LocationContext, locate } from './locations.ts';
import { escapeText } from './messages.ts';

export function codeFlows(race: Race, context: LocationContext): CodeFlow[] {
  const steps = race.steps ?? [];
  const flows = new Map<string, ThreadFlow>();
  const dropped = Math.max(0, steps.length - githubLimits.stepsPerResult);
  for (const [index, step] of steps.slice(dropped).entries()) {
    const key = taskKey(step);
    const flow = flows.get(key) ?? newFlow(race, step, context);
    flows.set(key, flow);
    flow.locations.push({
      location: locate(race, step, step.what, context),
      executionOrder: dropped + index + 1,
    });
  }
  return flows.size === 0 ? [] : [{ threadFlows: [...flows.values()] }];
}

function newFlow(race: Race, step: Step, context: LocationContext): ThreadFlow {
  const known = findTask(context.tasks, step) ?? race.accesses.find(({ pid }) => pid === step.pid);
  const process = known?.process ?? 'process';
  const name = `${processName({ process, pid: step.pid })}, thread ${threadName(step)}`;
  return { id: taskKey(step), message: { text: escapeText(name) }, locations: [] };
}
