import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HappensBeforeGraph } from './graph.ts';
import type { EventId } from './ids.ts';
import { path } from './path.ts';
import { actionCount, type Execution, execute } from './testdata/brute-force.ts';

const choice = fc.tuple(fc.nat(actionCount - 1), fc.nat(), fc.nat());
const choices = fc.array(choice, { maxLength: 30, size: 'max' });

/** One step: an edge, or program order over any distance. */
function isStep({ direct, tasks }: Execution, a: EventId, b: EventId): boolean {
  return direct[b]!.includes(a) || (tasks[a] === tasks[b] && a < b);
}

/** How many steps it is from `from` to each event that it happens before. */
function distances(execution: Execution, from: EventId): Map<EventId, number> {
  const found = new Map([[from, 0]]);
  for (const [event, distance] of found) {
    for (const next of execution.events) {
      if (!found.has(next) && isStep(execution, event, next)) found.set(next, distance + 1);
    }
  }
  return found;
}

describe('path', () => {
  it('jumps along program order, and follows edges', () => {
    const graph = new HappensBeforeGraph();
    const shell = graph.startTask(undefined);
    const open = graph.add(shell, []);
    graph.add(shell, []);
    const fork = graph.add(shell, []);
    const child = graph.startTask(fork);
    const exec = graph.add(child, []);
    graph.add(child, []);
    const stat = graph.add(child, []);
    const close = graph.add(shell, []);
    expect(path(graph, open, stat)).toEqual([open, fork, exec, stat]);
    expect(path(graph, open, close)).toEqual([open, close]);
    expect(path(graph, stat, close)).toBe(undefined);
    expect(path(graph, open, open)).toBe(undefined);
  });

  it('is a valid chain of minimal length exactly where brute force finds one', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const execution = execute(list);
        for (const from of execution.events) {
          const distance = distances(execution, from);
          for (const to of execution.events) {
            const events = path(execution.graph, from, to);
            if (from === to || !distance.has(to)) {
              expect(events).toBe(undefined);
              continue;
            }
            expect([events?.at(0), events?.at(-1)]).toEqual([from, to]);
            expect(events?.length).toBe(distance.get(to)! + 1);
            const steps = events!.slice(1).map((event, i) => isStep(execution, events![i]!, event));
            expect(steps).not.toContain(false);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
