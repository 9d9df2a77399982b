/**
 * From what a model checker says back to the trace: the synchronisation events among the steps of a
 * counterexample, by their numbers. Each thread does its steps in their order, so counting is enough.
 *
 *   lock.T1.L0, unlock.T1.L0, write.T0.V1, write.T1.V1, race      →  events 4, 6
 */
import { NONE } from '../../model/op.ts';
import type { EventNumber } from '../race-search.ts';
import type { RaceModel } from './race-model.ts';
import { CHANNELS } from './thread-processes.ts';

const CHANNELS_OF_STEPS: ReadonlySet<string> = new Set(Object.values(CHANNELS));

export function eventsOfCounterexample(model: RaceModel, steps: readonly string[]): EventNumber[] {
  const positions = new Map<number, number>();
  const events: EventNumber[] = [];
  for (const step of steps) {
    const [channel, thread] = step.split('.');
    if (!CHANNELS_OF_STEPS.has(channel!)) continue;
    const number = Number(thread!.slice(1));
    const position = positions.get(number) ?? 0;
    positions.set(number, position + 1);
    const { event } = model.steps.get(number)![position]!;
    if (event !== NONE) events.push(event);
  }
  return events;
}
