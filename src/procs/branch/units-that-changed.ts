/**
 * In which order the processes of a run have changed some files:
 *
 *   sh -c 'echo $i >last'   of four of them, the run has left what the third one wrote
 *
 * If they do nothing but that, they leave the same when they run one after the other in this order.
 */
import { readTrace } from '../../trace/reader.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { Step } from '../detect/step.ts';
import { buildTimeline } from '../detect/timeline.ts';
import { buildScript } from '../replay/script.ts';
import { type Unit, unitsInOrder } from './serial.ts';

/** `trace`: of the recording, or of an attempt. */
export function unitsThatChanged(
  { info: { cwd, folders, devices } }: Pick<Run, 'info'>,
  trace: string,
  paths: ReadonlySet<string>,
): readonly Unit[] {
  const records = [...readTrace(trace, { salvage: true })];
  const script = buildScript(records);
  if (!script) return [];
  const taskOf = new Map<object, (typeof script.tasks)[number]>();
  for (const { record, task } of script.items) taskOf.set(record, task);
  const changes = ({ operations }: Step): boolean =>
    operations.some(({ op, thing }) => op === 'store' && paths.has(thing.name));
  const { steps } = buildTimeline(records, cwd, folders, devices);
  const tasks = steps.filter(changes).flatMap(({ record }) => taskOf.get(record) ?? []);
  return unitsInOrder(script, tasks);
}
