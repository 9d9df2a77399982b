import { buildTimeline } from '../detect/timeline.ts';
import type { Script } from './records.ts';

/** Whether what was marked as first comes before what was marked as next, in every run. */
export function isOrdered({ records }: Script): boolean {
  const { steps, graph } = buildTimeline(records, '/');
  const [first, then] = ['/first', '/then'].map((name) => steps.find((step) => step.name === name));
  return graph.happensBefore(first!.event, then!.event);
}
