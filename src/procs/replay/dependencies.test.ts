import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contestedLocations } from '../detect/load-store/state.ts';
import type { Step } from '../detect/step.ts';
import { buildTimeline, type Timeline } from '../detect/timeline.ts';
import { conflict, overlap, PARTS } from '../model/operation.ts';
import { choices, recordingOf } from '../testdata/random-recording.ts';
import { pipe, Script } from '../testdata/records.ts';
import { type Dependencies, dependenciesOf } from './dependencies.ts';
import { shownRecord } from './mismatch.ts';
import { buildScript, type Item, type Script as Scripted } from './script.ts';
import { significantCalls } from './significance.ts';

const shown = ({ task, record }: Item): string => `${task.start.tid} ${shownRecord(record)}`;

/** Some order in which the items can be replayed: those that are insignificant wait for nobody. */
function someOrder(
  { items, root, tasks }: Scripted,
  dependencies: Dependencies,
  picks: readonly number[],
): Item[] {
  const order: Item[] = [];
  const done = new Set<Item>();
  const born = new Set([root]);
  const next = new Map(tasks.map((task) => [task, 0]));
  const isReady = (item: Item): boolean =>
    !item.isSignificant ||
    !dependencies.get(item)?.some((one) => one.isSignificant && !done.has(one));
  while (order.length < items.length) {
    const ready = [...born].flatMap((task) => {
      const item = task.items[next.get(task)!];
      return item && isReady(item) ? [item] : [];
    });
    if (ready.length === 0) throw new Error('nobody can go on');
    const item = ready[picks[order.length % picks.length]! % ready.length]!;
    next.set(item.task, next.get(item.task)! + 1);
    done.add(item);
    order.push(item);
    if (item.child) born.add(item.child);
  }
  return order;
}

/** The pairs of steps whose order somebody can see. */
function conflictingPairs({ steps }: Timeline): [Step, Step][] {
  return [...contestedLocations(steps, PARTS)].flatMap((location) =>
    location.flatMap((late, index) =>
      location.slice(0, index).flatMap((early): [Step, Step][] => {
        const meets = overlap(early.operation.range, late.operation.range);
        const matters = meets && conflict(early.operation, late.operation);
        return matters ? [[early.step, late.step]] : [];
      }),
    ),
  );
}

describe('what each step waits for', () => {
  const picks = fc.array(fc.nat(5), { minLength: 20, maxLength: 20 });

  it.each([
    ['one call after the other', false],
    ['overlapping calls', true],
  ])('keeps the recorded order wherever it matters, whoever is faster: %s', (_, overlapping) => {
    let moved = 0;
    let compared = 0;
    fc.assert(
      fc.property(choices, picks, (list, numbers) => {
        const records = recordingOf(list, overlapping);
        const timeline = buildTimeline(records, '/');
        const script = buildScript(records, significantCalls(timeline))!;
        const order = someOrder(script, dependenciesOf(script, timeline), numbers);
        const itemOf = new Map(order.map((item) => [item.record as object, item]));
        const place = new Map(order.map((item, index) => [item, index]));
        const isTurned = (a: Step, b: Step): boolean => {
          const [one, other] = [itemOf.get(a.record), itemOf.get(b.record)];
          if (!one || !other) return false;
          return one.turn > other.turn !== place.get(one)! > place.get(other)!;
        };
        const told = (a: Step, b: Step): string =>
          `${shown(itemOf.get(a.record)!)}, ${shown(itemOf.get(b.record)!)}`;
        const pairs = conflictingPairs(timeline);
        expect(pairs.filter((pair) => isTurned(...pair)).map((pair) => told(...pair))).toEqual([]);
        const { steps, graph } = timeline;
        const wrong = steps.flatMap((late, index) =>
          steps
            .slice(0, index)
            .filter((early) => graph.happensBefore(early.event, late.event))
            .filter((early) => isTurned(early, late))
            .map((early) => told(early, late)),
        );
        expect(wrong).toEqual([]);
        compared += pairs.length;
        moved += order.filter(({ turn }, index) => turn !== index).length;
      }),
      { numRuns: 300 },
    );
    // It would prove nothing if everything had to stay where it was.
    expect(Math.min(moved, compared)).toBeGreaterThan(1000);
  });

  const told = ({ records }: Script): string[] => {
    const timeline = buildTimeline(records, '/');
    const script = buildScript(records)!;
    return [...dependenciesOf(script, timeline)].map(
      ([item, earlier]) => `${shown(item)} ← ${earlier.map(shown).join(', ')}`,
    );
  };
  const two = (): Script =>
    new Script().fork(1, 2).fork(1, 3).call(2, 'stat', '/').call(3, 'stat', '/');
  const born = ['2 stat("/") ← 1 a fork', '3 stat("/") ← 1 a fork'];

  it('is what it raced with and lost to', () => {
    expect(told(two().call(2, 'mkdir', '/a').call(3, 'stat', '/a'))).toEqual([
      ...[...born, '3 stat("/a") ← 2 mkdir("/a")'],
    ]);
    expect(told(two().call(2, 'stat', '/a').call(3, 'mkdir', '/a'))).toEqual([
      ...[...born, '3 mkdir("/a") ← 2 stat("/a")'],
    ]);
    expect(told(two().call(2, 'stat', '/a').call(3, 'stat', '/a'))).toEqual(born);
  });

  it('is whoever was started before, so that numbers are given out as they were', () => {
    expect(told(two().fork(2, 4).fork(3, 5))).toEqual([
      ...[...born, '2 a fork ← 1 a fork', '3 a fork ← 2 a fork'],
    ]);
  });

  it('is what other threads of its process did, but for futexes', () => {
    const threads = new Script().thread(1, 2).call(1, 'mkdir', '/a').call(2, 'mkdir', '/b');
    expect(told(threads)).toEqual(['2 mkdir("/b") ← 1 mkdir("/a")']);
    const futexes = new Script().thread(1, 2).call(1, 'futex').call(2, 'futex');
    expect(told(futexes.call(2, 'mkdir', '/b'))).toEqual([
      '2 mkdir("/b") ← 1 the start of a thread',
    ]);
  });

  it('is the end of a child, for a wait and for the signal that tells of it', () => {
    expect(told(new Script().fork(1, 2).exit(2).wait(1, 2))).toContain('1 wait4() ← 2 its end');
    const SIGCHLD = 17;
    expect(told(new Script().fork(1, 2).exit(2).signal(2, 1, SIGCHLD))).toContain(
      '1 the arrival of SIGCHLD ← 2 its end',
    );
  });

  it('is a signal that broke off a call, for the end of whoever might have ended that', () => {
    const killing = (phase: 'interrupting' | 'delivered'): string[] => {
      const sent = new Script().fork(1, 2).fork(1, 3).kill(2, 1).signal(2, 1, 10, phase);
      return told(sent.exit(3).exit(2)).filter((one) => one.includes('its end'));
    };
    expect(killing('interrupting')).toEqual([
      '3 its end ← 1 a fork, 1 the arrival of SIGUSR1',
      '2 its end ← 1 the arrival of SIGUSR1',
    ]);
    expect(killing('delivered')).toEqual(['3 its end ← 1 a fork']);
  });

  it('is that signal for its sender, who had begun to end; but not if that was needed for it', () => {
    const sent = (): Script => new Script().fork(1, 2).kill(2, 1);
    const ended = sent().exit(2).signal(2, 1, 10, 'interrupting');
    expect(told(ended)).toContain('2 its end ← 1 the arrival of SIGUSR1');
    const collected = sent().exit(2).wait(1, 2).signal(2, 1, 10, 'interrupting');
    expect(told(collected)).toContain('1 wait4() ← 2 its end');
    expect(told(collected).filter((one) => one.startsWith('2 its end'))).toEqual([]);
  });

  it('is what was written before, for the end of the reader of a pipe', () => {
    const piped = (): Script => two().makePipe(1, 7).receive(3, 7);
    const ofEnd = (script: Script): string[] =>
      told(script).filter((one) => one.startsWith('3 its end'));
    expect(ofEnd(piped().send(2, 7).exit(3))).toEqual(['3 its end ← 2 write()']);
    expect(ofEnd(piped().exit(3).send(2, 7))).toEqual([]);
    const failed = { result: -32, file: pipe(7) };
    expect(ofEnd(piped().call(2, 'write', undefined, failed).exit(3))).toEqual([]);
    expect(told(piped().exit(3).call(2, 'write', undefined, failed))).toContain(
      '2 write() ← 3 its end',
    );
  });
});
