import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HappensBeforeGraph } from './graph.ts';
import type { EventId } from './ids.ts';
import { actionCount, execute } from './testdata/brute-force.ts';

const choice = fc.tuple(fc.nat(actionCount - 1), fc.nat(), fc.nat());
const choices = fc.array(choice, { maxLength: 60, size: 'max' });

describe('the example at the top of graph.ts', () => {
  const graph = new HappensBeforeGraph();
  const shell = graph.startTask(undefined);
  const fork = graph.add(shell, []);
  const child = graph.startTask(fork);
  const write = graph.add(child, []);
  graph.endTask(child);
  const mkdir = graph.add(shell, []);
  const wait = graph.add(shell, [write]);

  it('has the orders that it claims', () => {
    expect(graph.happensBefore(fork, write)).toBe(true);
    expect(graph.concurrent(write, mkdir)).toBe(true);
    expect(graph.happensBefore(write, wait)).toBe(true);
    expect(graph.happensBefore(wait, write)).toBe(false);
    expect(graph.concurrent(fork, fork)).toBe(false);
  });

  it('can be walked through', () => {
    expect([...graph.eventsOf(shell)]).toEqual([fork, mkdir, wait]);
    expect([...graph.eventsOf(child)]).toEqual([write]);
    expect(graph.edgesInto(write)).toEqual([fork]);
    expect(graph.edgesInto(wait)).toEqual([write]);
    expect(graph.previousInTask(wait)).toBe(mkdir);
    expect(graph.previousInTask(write)).toBe(undefined);
    expect(graph.taskOf(write)).toBe(child);
  });

  it('refuses what cannot have been recorded', () => {
    expect(() => graph.add(child, [])).toThrow('after its end');
    expect(() => graph.endTask(child)).toThrow('ends once');
    expect(() => graph.add(shell, [99 as EventId])).toThrow('no such event');
    expect(() => graph.startTask(99 as EventId)).toThrow('no such event');
  });
});

describe('a random execution', () => {
  it('has the orders that brute force finds', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const { graph, events, before } = execute(list);
        for (const b of events) {
          expect(events.filter((a) => graph.happensBefore(a, b))).toEqual(
            events.filter((a) => before[b]!.has(a)),
          );
          expect(events.filter((a) => graph.concurrent(a, b))).toEqual(
            events.filter((a) => a !== b && !before[b]!.has(a) && !before[a]!.has(b)),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps tasks and edges as they were given', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const { graph, events, direct, tasks } = execute(list);
        for (const event of events) {
          const previous = graph.previousInTask(event);
          const incoming = [
            ...(previous === undefined ? [] : [previous]),
            ...graph.edgesInto(event),
          ];
          expect(incoming).toEqual(direct[event]);
          expect(graph.taskOf(event)).toBe(tasks[event]);
          expect(graph.eventAt(graph.slotOf(event), graph.positionOf(event))).toBe(event);
        }
        for (const task of new Set(tasks)) {
          expect([...graph.eventsOf(task)]).toEqual(events.filter((e) => tasks[e] === task));
        }
      }),
    );
  });

  it('often has tasks that continue another one’s slot', () => {
    const widths = fc.sample(choices, { numRuns: 200, seed: 1 }).map((list) => {
      const { graph, tasks } = execute(list);
      return { slots: graph.width, tasks: new Set(tasks).size };
    });
    expect(widths.filter(({ slots, tasks }) => slots < tasks).length).toBeGreaterThan(100);
  });
});

describe('slots', () => {
  /** Fork, let the child run and end, wait for it or not. */
  function loop(rounds: number, waits: boolean): HappensBeforeGraph {
    const graph = new HappensBeforeGraph();
    const shell = graph.startTask(undefined);
    for (let round = 0; round < rounds; round++) {
      const child = graph.startTask(graph.add(shell, []));
      graph.add(child, []);
      const exit = graph.add(child, []);
      graph.endTask(child);
      if (waits) graph.add(shell, [exit]);
    }
    return graph;
  }

  it('are two for a loop that runs one child after another', () => {
    expect(loop(10_000, true).width).toBe(2);
  });

  it('are not shared with a child that nobody waited for', () => {
    expect(loop(100, false).width).toBe(101);
  });

  it('are not needed by tasks without events', () => {
    const graph = new HappensBeforeGraph();
    for (let i = 0; i < 10; i++) graph.endTask(graph.startTask(undefined));
    expect([graph.taskCount, graph.width]).toEqual([10, 0]);
  });
});

describe('ten thousand children that live at the same time', () => {
  const count = 10_000;
  const graph = new HappensBeforeGraph();
  const parent = graph.startTask(undefined);
  const children = Array.from({ length: count }, () => {
    const child = graph.startTask(graph.add(parent, []));
    return { child, first: graph.add(child, []) };
  });
  const nodesAfterForks = graph.clocks.nodeCount;

  it('take one node each', () => {
    expect(graph.width).toBe(count + 1);
    expect(nodesAfterForks).toBe(count);
  });

  it('take as many more as a tree is high when the parent hears of each', () => {
    const height = Math.ceil(Math.log(count + 1) / Math.log(4));
    for (const { child } of children) graph.add(parent, [graph.add(child, [])]);
    expect(graph.clocks.nodeCount - nodesAfterForks).toBeLessThan(count * (height + 1));
  });

  it('do not join what both sides know, however much that is', () => {
    const nodes = graph.clocks.nodeCount;
    for (const { child } of children) {
      const answer = graph.add(child, [graph.add(parent, [])]);
      graph.add(parent, [answer]);
    }
    expect(graph.clocks.nodeCount - nodes).toBeLessThan(count * 20);
    expect(graph.happensBefore(children[0]!.first, (graph.eventCount - 1) as EventId)).toBe(true);
  });
});
