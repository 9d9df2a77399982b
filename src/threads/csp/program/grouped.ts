/** Steps by what a number of theirs is, each group in the order in which they come. */
import type { Step } from './step.ts';

export function groupedBy(steps: Iterable<Step>, key: 'thread' | 'object'): Map<number, Step[]> {
  const groups = new Map<number, Step[]>();
  for (const step of steps) {
    const group = groups.get(step[key]);
    if (group === undefined) groups.set(step[key], [step]);
    else group.push(step);
  }
  return groups;
}
