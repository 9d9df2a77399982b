import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cut,
  contains,
  cutBefore,
  cutIncluding,
  frontier,
  isConsistent,
  merged,
} from './cut.ts';
import { HappensBeforeGraph } from './graph.ts';
import type { EventId } from './ids.ts';
import { actionCount, type Execution, execute } from './testdata/brute-force.ts';

const choice = fc.tuple(fc.nat(actionCount - 1), fc.nat(), fc.nat());
const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 3 });

function pickEvents({ events }: Execution, numbers: readonly number[]): EventId[] {
  return events.length === 0 ? [] : numbers.map((number) => events[number % events.length]!);
}

function inside({ graph, events }: Execution, cut: Cut): EventId[] {
  return events.filter((event) => contains(graph, cut, event));
}

/** All sets of events that contain whatever happens before one of them. */
function downwardClosedSets({ events, direct }: Execution): Set<EventId>[] {
  let sets: Set<EventId>[] = [new Set()];
  for (const event of events) {
    const larger = sets.filter((set) => direct[event]!.every((cause) => set.has(cause)));
    sets = [...sets, ...larger.map((set) => new Set([...set, event]))];
  }
  return sets;
}

/** The one that is part of all others. */
function least(sets: readonly Set<EventId>[]): EventId[] | undefined {
  const smallest = [...sets].sort((a, b) => a.size - b.size).at(0);
  const isLeast = smallest && sets.every((other) => [...smallest].every((e) => other.has(e)));
  return isLeast ? [...smallest] : undefined;
}

describe('the example at the top of cut.ts', () => {
  it('is cut where it claims', () => {
    const graph = new HappensBeforeGraph();
    const shell = graph.startTask(undefined);
    const fork0 = graph.add(shell, []);
    const read = graph.add(graph.startTask(fork0), []);
    const fork1 = graph.add(shell, []);
    const exec = graph.add(graph.startTask(fork1), []);
    const mkdir = graph.add(shell, []);
    const cut = cutBefore(graph, [read, exec])!;
    const all = [fork0, read, fork1, exec, mkdir];
    expect(all.filter((event) => contains(graph, cut, event))).toEqual([fork0, fork1]);
    expect(frontier(graph, cut)).toEqual([fork1]);
    expect(frontier(graph, cutIncluding(graph, [read, exec]))).toEqual([read, fork1, exec]);
    expect(cutBefore(graph, [fork0, exec])).toBe(undefined);
  });
});

describe('cuts of random executions', () => {
  const large = fc.array(choice, { maxLength: 60, size: 'max' });
  const tiny = fc.array(choice, { maxLength: 9, size: 'max' });

  it('cutBefore is the least one by brute force, or none', () => {
    fc.assert(
      fc.property(tiny, picks, (list, numbers) => {
        const execution = execute(list);
        const events = pickEvents(execution, numbers);
        const fitting = downwardClosedSets(execution).filter((set) =>
          events.every((e) => !set.has(e) && [...execution.before[e]!].every((p) => set.has(p))),
        );
        const cut = cutBefore(execution.graph, events);
        expect(cut && inside(execution, cut)).toEqual(least(fitting));
      }),
      { numRuns: 200 },
    );
  });

  it('cutIncluding is the least one by brute force', () => {
    fc.assert(
      fc.property(tiny, picks, (list, numbers) => {
        const execution = execute(list);
        const events = pickEvents(execution, numbers);
        const fitting = downwardClosedSets(execution).filter((set) =>
          events.every((e) => set.has(e)),
        );
        expect(inside(execution, cutIncluding(execution.graph, events))).toEqual(least(fitting));
      }),
      { numRuns: 200 },
    );
  });

  it('are what happens before the events, with and without them', () => {
    fc.assert(
      fc.property(large, picks, (list, numbers) => {
        const execution = execute(list);
        const events = pickEvents(execution, numbers);
        const past = new Set(events.flatMap((event) => [...execution.before[event]!]));
        const cut = cutBefore(execution.graph, events);
        if (events.some((event) => past.has(event))) expect(cut).toBe(undefined);
        else expect(new Set(inside(execution, cut!))).toEqual(past);
        expect(new Set(inside(execution, cutIncluding(execution.graph, events)))).toEqual(
          new Set([...past, ...events]),
        );
      }),
    );
  });

  it('are consistent exactly if they are downward closed', () => {
    let consistent = 0;
    let inconsistent = 0;
    fc.assert(
      fc.property(tiny, picks, (list, numbers) => {
        const execution = execute(list);
        const { graph, direct } = execution;
        const cut = { counts: new Int32Array(graph.width) };
        for (const event of execution.events) {
          const slot = graph.slotOf(event);
          const length = graph.positionOf(event) + 1;
          cut.counts[slot] = numbers[slot % numbers.length]! % (length + 1);
        }
        const set = new Set(inside(execution, cut));
        const closed = [...set].every((event) => direct[event]!.every((cause) => set.has(cause)));
        expect(isConsistent(graph, cut)).toBe(closed);
        closed ? consistent++ : inconsistent++;
      }),
      { numRuns: 500, seed: 1 },
    );
    expect(Math.min(consistent, inconsistent)).toBeGreaterThan(50);
  });

  it('have the last event inside of each task as their frontier', () => {
    fc.assert(
      fc.property(large, picks, (list, numbers) => {
        const execution = execute(list);
        const cut = cutIncluding(execution.graph, pickEvents(execution, numbers));
        const last = new Map(inside(execution, cut).map((e) => [execution.tasks[e], e]));
        expect(frontier(execution.graph, cut)).toEqual([...last.values()].sort((a, b) => a - b));
      }),
    );
  });
});

describe('two cuts merged', () => {
  const list = fc.array(choice, { maxLength: 30, size: 'max' });

  it('have inside what either has, and stay consistent', () => {
    fc.assert(
      fc.property(list, picks, picks, (choices, some, others) => {
        const execution = execute(choices);
        const { graph } = execution;
        const cuts = [some, others].map((numbers) =>
          cutIncluding(graph, pickEvents(execution, numbers)),
        );
        const [a, b] = cuts as [Cut, Cut];
        const both = merged(a, b);
        const either = new Set([...inside(execution, a), ...inside(execution, b)]);
        expect(new Set(inside(execution, both))).toEqual(either);
        expect(isConsistent(graph, both)).toBe(true);
        expect(merged(b, a)).toEqual(both);
        const all = [...pickEvents(execution, some), ...pickEvents(execution, others)];
        expect(both).toEqual(cutIncluding(graph, all));
      }),
    );
  });
});
