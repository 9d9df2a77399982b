/**
 * For tests: random executions, built as a graph and, independently, as a plain table of who is
 * directly after whom, from which reachability follows by brute force.
 *
 * An execution comes from a list of choices, so that fast-check can shrink it. A choice is an
 * action and two numbers that pick among what exists, modulo how much there is:
 *
 *   [fork, 0, 0]  [step, 1, 0]  [end, 1, 0]  [wait, 0, 0]    a child that is forked and waited for
 *   [run, 0, 0]                                              the same, as one choice
 */
import { HappensBeforeGraph } from '../graph.ts';
import type { EventId, TaskId } from '../ids.ts';

const actions = ['step', 'fork', 'end', 'wait', 'run', 'edge', 'twoEdges', 'start'] as const;

export const actionCount = actions.length;

export type Choice = readonly [action: number, first: number, second: number];

export interface Execution {
  readonly graph: HappensBeforeGraph;
  readonly events: readonly EventId[];
  /** For each event: the events directly before it, by program order first, then by edges. */
  readonly direct: readonly (readonly EventId[])[];
  /** For each event: all events before it. */
  readonly before: readonly ReadonlySet<EventId>[];
  /** For each event: its task, as the choices had it. */
  readonly tasks: readonly TaskId[];
}

export function execute(choices: readonly Choice[]): Execution {
  const graph = new HappensBeforeGraph();
  const events: EventId[] = [];
  const direct: EventId[][] = [];
  const before: Set<EventId>[] = [];
  const tasks: TaskId[] = [];
  const last = new Map<TaskId, EventId>();
  const startedAfter = new Map<TaskId, EventId>();
  const ended: TaskId[] = [];
  const alive = [graph.startTask(undefined)];

  const add = (task: TaskId, after: readonly EventId[]): EventId => {
    const event = graph.add(task, after);
    const previous = last.get(task) ?? startedAfter.get(task);
    const causes = previous === undefined ? [...after] : [previous, ...after];
    events.push(event);
    tasks.push(task);
    direct.push(causes);
    before.push(new Set(causes.flatMap((cause) => [cause, ...before[cause]!])));
    last.set(task, event);
    return event;
  };

  const fork = (parent: TaskId): TaskId => {
    const event = add(parent, []);
    const child = graph.startTask(event);
    startedAfter.set(child, event);
    alive.push(child);
    return child;
  };

  const end = (task: TaskId): void => {
    graph.endTask(task);
    alive.splice(alive.indexOf(task), 1);
    ended.push(task);
  };

  for (const [action, first, second] of choices) {
    const task = pick(alive, first);
    if (task === undefined) {
      alive.push(graph.startTask(undefined));
      continue;
    }
    switch (actions[action % actionCount]!) {
      case 'step':
        add(task, []);
        break;
      case 'fork':
        fork(task);
        break;
      case 'end':
        end(task);
        break;
      case 'wait': {
        const exit = last.get(ended.at(-1 - (second % 2)) ?? task);
        if (exit !== undefined) add(task, [exit]);
        break;
      }
      case 'run': {
        const child = fork(task);
        const exit = add(child, []);
        end(child);
        add(task, [exit]);
        break;
      }
      case 'edge':
        add(task, some(pick(events, second)));
        break;
      case 'twoEdges':
        add(task, [...some(pick(events, second)), ...some(pick(events, second >> 4))]);
        break;
      case 'start':
        alive.push(graph.startTask(undefined));
        break;
    }
  }
  return { graph, events, direct, before, tasks };
}

function pick<T>(list: readonly T[], choice: number): T | undefined {
  return list[choice % list.length];
}

function some<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
