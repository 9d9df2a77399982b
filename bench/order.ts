/**
 * How fast a happens-before graph is built, how that grows with the number of events, and what our
 * shared clocks save against the textbook's: one array per task, as wide as there are tasks, copied
 * at each fork. Two shapes of program with up to 5,000 processes, each run on both:
 *
 *   build   like `make -j64`: at most 64 children at a time, which are waited for; some pipes
 *   server  all 5,000 children live to the end, and talk with the parent
 *
 * The textbook side keeps only the newest clock of each task, and so could not answer questions
 * about the past, because all of them together do not fit in memory. The memory ratio compares
 * the words that it would need for that with the words that we do keep. In both
 * ratios more is better for us.
 */
import { HappensBeforeGraph } from '../src/order/graph.ts';
import type { EventId, TaskId } from '../src/order/ids.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';

const taskCount = 5000;

/** One line of a script for either side; an event is after the last one of the task `from`. */
type Step =
  | { readonly kind: 'fork'; readonly parent: number }
  | { readonly kind: 'event'; readonly task: number; readonly from: number | undefined }
  | { readonly kind: 'end'; readonly task: number };

export async function run(): Promise<void> {
  const rows: TableRow[] = [];
  for (const shape of [build, server]) {
    withGraph(shape(10_000)); // So that the first figure is not that of cold code.
    let smaller: { size: number; seconds: number } | undefined;
    for (const size of [10_000, 100_000, 1_000_000]) {
      const steps = shape(size);
      const ours = timed(() => withGraph(steps));
      const textbook = timed(() => withTextbookClocks(steps));
      const graph = ours.result;
      const words = graph.clocks.nodeCount * 5;
      const growth =
        smaller && Math.log(ours.seconds / smaller.seconds) / Math.log(size / smaller.size);
      smaller = { size, seconds: ours.seconds };
      rows.push({
        shape: shape.name,
        steps: size,
        'events/s': (graph.eventCount / ours.seconds).toFixed(0),
        growth: growth === undefined ? '' : `n^${growth.toFixed(2)}`,
        'time ratio': (textbook.seconds / ours.seconds).toFixed(1),
        'memory ratio': (textbook.result / words).toFixed(0),
        slots: graph.width,
        'MB of clocks': ((words * 4) / 2 ** 20).toFixed(1),
      });
    }
  }
  console.log(markdownTable(rows));
  console.log('\nRatios are those of the textbook to ours: more is better.');
}

function build(size: number): Step[] {
  const random = randomNumbers();
  const steps: Step[] = [{ kind: 'event', task: 0, from: undefined }];
  const alive: number[] = [];
  let started = 0;
  while (steps.length < size) {
    if (alive.length < 64 && started < taskCount) {
      alive.push(++started);
      steps.push({ kind: 'fork', parent: 0 });
    }
    const index = random(alive.length);
    const task = alive[index]!;
    const from = random(4) === 0 ? alive[random(alive.length)]! : undefined;
    steps.push({ kind: 'event', task, from: from === task ? undefined : from });
    if (random(size) < taskCount && started < taskCount) {
      steps.push({ kind: 'end', task }, { kind: 'event', task: 0, from: task });
      alive.splice(index, 1);
    }
  }
  return steps;
}

function server(size: number): Step[] {
  const random = randomNumbers();
  const steps: Step[] = [{ kind: 'event', task: 0, from: undefined }];
  for (let task = 1; task <= taskCount; task++) steps.push({ kind: 'fork', parent: 0 });
  while (steps.length < size) {
    const task = 1 + random(taskCount);
    steps.push({ kind: 'event', task, from: random(2) === 0 ? 0 : undefined });
    if (random(4) === 0) steps.push({ kind: 'event', task: 0, from: task });
  }
  return steps;
}

function withGraph(steps: readonly Step[]): HappensBeforeGraph {
  const graph = new HappensBeforeGraph();
  const last: EventId[] = [];
  graph.startTask(undefined);
  for (const step of steps) {
    if (step.kind === 'fork') {
      last[step.parent] = graph.add(step.parent as TaskId, []);
      const child = graph.startTask(last[step.parent]);
      last[child] = graph.add(child, []);
    } else if (step.kind === 'event') {
      const { task, from } = step;
      last[task] = graph.add(task as TaskId, from === undefined ? [] : [last[from]!]);
    } else graph.endTask(step.task as TaskId);
  }
  return graph;
}

/** Returns how many words it would take to keep each clock that differs from the one before it. */
function withTextbookClocks(steps: readonly Step[]): number {
  const clocks = [new Int32Array(taskCount + 1)];
  let clocksToKeep = 1;
  for (const step of steps) {
    if (step.kind === 'fork') {
      clocks[step.parent]![step.parent]! += 1;
      const child = clocks.push(clocks[step.parent]!.slice()) - 1;
      clocks[child]![child] = 1;
      clocksToKeep += 1;
    } else if (step.kind === 'event') {
      const clock = clocks[step.task]!;
      clock[step.task]! += 1;
      if (step.from === undefined) continue;
      const other = clocks[step.from]!;
      for (let i = 0; i < clock.length; i++) if (other[i]! > clock[i]!) clock[i] = other[i]!;
      clocksToKeep += 1;
    }
  }
  return clocksToKeep * (taskCount + 1);
}

function timed<T>(work: () => T): { seconds: number; result: T } {
  const start = performance.now();
  const result = work();
  return { seconds: (performance.now() - start) / 1000, result };
}

/** The same numbers in each run: a linear congruential generator. */
function randomNumbers(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
