import { describe, expect, it } from 'vitest';
import { detectRaces } from '../detect/detect.ts';
import type { DetectedRace, RaceKind } from '../detect/race.ts';
import { buildTimeline, type Timeline } from '../detect/timeline.ts';
import type { Course } from '../replay/course.ts';
import { shownRecord } from '../replay/mismatch.ts';
import { buildScript, type Item } from '../replay/script.ts';
import { pipe, Script, words } from '../testdata/records.ts';
import { Branches } from './branch.ts';

interface Analysed {
  timeline: Timeline;
  branches: Branches;
  races: readonly DetectedRace[];
}

function analysed({ records }: Script): Analysed {
  const timeline = buildTimeline(records, '/');
  const branches = new Branches(timeline, buildScript(records)!);
  return { timeline, branches, races: detectRaces(timeline).races };
}

const ofKind = ({ races }: Analysed, kind: RaceKind): DetectedRace =>
  races.find((race) => race.kind === kind)!;

/** `2 mkdir("/d")` */
const shown = ({ task, record }: Item): string => `${task.start.tid} ${shownRecord(record)}`;

/** What is replayed, task by task, and then the anchors in their order. */
function told({ script, inside, anchors }: Course): { inside: string[]; anchors: string[] } {
  const replayed = script.tasks.flatMap((task) => task.items.slice(0, inside!.get(task)));
  return { inside: replayed.map(shown), anchors: anchors.map(shown) };
}

const collected = ({ collects }: Course): [string, number][] =>
  [...collects!].map(([item, child]) => [shown(item), child]);

/** Steps by their marks, which are paths that they touch. */
function raceOf({ timeline }: Analysed, first: string, second: string): DetectedRace {
  const parts = [first, second].map((name) => {
    const step = timeline.steps.find((one) => one.name === name)!;
    return { step, role: 'store' as const, verb: '' };
  });
  const rest = { type: '', occurrences: 1, distance: 0, isOutput: false };
  return { kind: 'load-store', thing: { key: first, name: first }, parts, ...rest };
}

describe('two steps of which one stores', () => {
  it('figure 9: what the second needs moves along, what follows the first is dropped', () => {
    const given = analysed(
      new Script()
        .fork(1, 2)
        .fork(1, 3)
        .call(2, 'mkdir', '/S1')
        .call(2, 'mkdir', '/S2')
        .call(3, 'mkdir', '/S3')
        .call(3, 'mkdir', '/S4')
        .call(3, 'mkdir', '/S5'),
    );
    expect(told(given.branches.of(raceOf(given, '/S1', '/S5'))!)).toEqual({
      inside: ['1 a fork', '1 a fork', '3 mkdir("/S3")', '3 mkdir("/S4")'],
      anchors: ['3 mkdir("/S5")', '2 mkdir("/S1")'],
    });
  });

  it('figure 9, with a third process: its step only moves along if the second needs it', () => {
    const start = (): Script =>
      new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).fork(1, 4).call(2, 'mkdir', '/S1');
    const end = (script: Script): Analysed =>
      analysed(script.call(4, 'mkdir', '/S4').call(4, 'mkdir', '/S5').call(2, 'mkdir', '/S2'));
    const free = end(start().call(3, 'mkdir', '/S3'));
    const insideOf = (given: Analysed): string[] =>
      told(given.branches.of(raceOf(given, '/S1', '/S5'))!).inside.filter((one) =>
        one.includes('/S'),
      );
    expect(insideOf(free)).toEqual(['4 mkdir("/S4")']);
    const bound = end(start().call(3, 'mkdir', '/S3').send(3, 7).receive(4, 7));
    expect(insideOf(bound)).toEqual(['3 mkdir("/S3")', '4 mkdir("/S4")']);
  });

  it('stay as they are if anything puts them in order', () => {
    const waited = new Script().fork(1, 2).call(2, 'mkdir', '/S1').exit(2).wait(1, 2);
    const given = analysed(waited.call(1, 'mkdir', '/S5'));
    expect(given.branches.of(raceOf(given, '/S1', '/S5'))).toBe(undefined);
    const sent = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).call(2, 'mkdir', '/S1');
    const piped = analysed(sent.send(2, 7).receive(3, 7).call(3, 'mkdir', '/S5'));
    expect(piped.branches.of(raceOf(piped, '/S1', '/S5'))).toBe(undefined);
  });

  it('take along what other threads of their processes did before', () => {
    const given = analysed(
      new Script()
        .fork(1, 2)
        .fork(1, 3)
        .call(2, 'mkdir', '/S1')
        .thread(3, 4)
        .call(4, 'mkdir', '/S4')
        .call(3, 'mkdir', '/S5')
        .call(4, 'mkdir', '/S6'),
    );
    expect(told(given.branches.of(raceOf(given, '/S1', '/S5'))!).inside).toEqual([
      ...['1 a fork', '1 a fork', '3 the start of a thread', '4 mkdir("/S4")'],
    ]);
  });

  it('leave out no record that is no event', () => {
    const given = analysed(
      new Script()
        .fork(1, 2)
        .fork(1, 3)
        .call(2, 'mkdir', '/S1')
        .thread(3, 4)
        .call(3, 'mkdir', '/S5'),
    );
    expect(told(given.branches.of(raceOf(given, '/S1', '/S5'))!).inside).toContain(
      '3 the start of a thread',
    );
  });
});

describe('what is tried for a race', () => {
  /** 2 renames over /f; 3 uses /f and then renames over it, too. */
  const updates = (use: (script: Script) => Script): Analysed => {
    const rename = { path2: '/f' };
    const start = new Script().fork(1, 2).fork(1, 3).call(2, 'rename', '/f.2', rename);
    return analysed(use(start).call(3, 'rename', '/f.3', rename));
  };
  const tried = (given: Analysed): string[] => {
    const rivals = given.timeline.steps.filter(({ name2 }) => name2 === '/f');
    const parts = rivals.map((step) => ({ step, role: 'store' as const, verb: '' }));
    const race = { ...raceOf(given, '/f.2', '/f.3'), thing: { key: '/f', name: '/f' }, parts };
    return given.branches.instancesOf(race).map((instance) => {
      const course = given.branches.of({ kind: 'load-store', parts: instance })!;
      return course.anchors.map(shown).join(' ');
    });
  };

  it('is the tighter one too, if the second process uses the thing on its way', () => {
    expect(tried(updates((script) => script.call(3, 'stat', '/f')))).toEqual([
      '3 rename("/f.3") 2 rename("/f.2")',
      '3 stat("/f") 2 rename("/f.2")',
    ]);
  });

  it('is only the race itself, if it uses something else, or nothing', () => {
    const alone = ['3 rename("/f.3") 2 rename("/f.2")'];
    expect(tried(updates((script) => script.call(3, 'stat', '/g')))).toEqual(alone);
    expect(tried(updates((script) => script))).toEqual(alone);
  });
});

describe('a wait for any child', () => {
  const two = (): Script => new Script().fork(1, 2).fork(1, 3).call(2, 'mkdir', '/a');

  it('gets the other child, which ends first', () => {
    const given = analysed(two().exit(2).exit(3).wait(1, 2).write(1, '/f').wait(1, 3));
    const course = given.branches.of(ofKind(given, 'wait-wakeups'))!;
    expect(told(course).anchors).toEqual(['3 its end', '1 wait4()']);
    expect(told(course).inside).not.toContain('2 its end');
    expect(collected(course)).toEqual([['1 wait4()', 3]]);
  });

  it('gets the first one to end, if it got the second', () => {
    const given = analysed(two().exit(2).exit(3).wait(1, 3).write(1, '/f').wait(1, 2));
    const course = given.branches.of(ofKind(given, 'wait-wakeups'))!;
    expect(told(course).anchors).toEqual(['2 its end', '1 wait4()']);
    expect(collected(course)).toEqual([['1 wait4()', 2]]);
  });

  const SIGCHLD = 17;
  /** As dash waits: 1 sleeps until a signal comes, which is that of 2, and only then looks. */
  const roused = (before = 'rt_sigprocmask'): Script => {
    const script = new Script().fork(1, 2).fork(1, 3);
    const entry = (script.records.at(-1) as { sequence: number }).sequence + 0.5;
    script.exit(2).signal(2, 1, SIGCHLD);
    script.call(1, 'rt_sigsuspend', undefined, { result: -4, entry }).call(1, before);
    return script.wait(1, 2).write(1, '/f').exit(3).wait(1, 3);
  };

  it('sleeps anew until the other child wakes it, if the first one did', () => {
    const given = analysed(roused());
    const course = given.branches.of(ofKind(given, 'wait-wakeups'))!;
    expect(told(course)).toEqual({
      inside: ['1 a fork', '1 a fork'],
      anchors: [
        ...['3 its end', '1 the arrival of SIGCHLD', '1 rt_sigsuspend()', '1 rt_sigprocmask()'],
        '1 wait4()',
      ],
    });
    expect(collected(course)).toEqual([['1 wait4()', 3]]);
  });

  it('was woken once and for all, if it did more than to look before it waited', () => {
    const given = analysed(roused('getpgrp'));
    expect(given.branches.of(ofKind(given, 'wait-wakeups'))).toBe(undefined);
  });

  it('cannot, if the other child has to wait for what comes after', () => {
    const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).exit(2).wait(1, 2);
    const given = analysed(script.send(1, 7).receive(3, 7).exit(3).wait(1, 3).write(1, '/f'));
    const [one, other] = given.timeline.steps.filter(({ record }) => record.kind === 'exit');
    const wait = given.timeline.waits[0]!.step;
    const parts = [
      { step: one!, role: 'wakeup' as const, verb: '' },
      { step: other!, role: 'wakeup' as const, verb: '' },
      { step: wait, role: 'wait' as const, verb: '' },
    ];
    expect(given.branches.of({ kind: 'wait-wakeups', parts })).toBe(undefined);
  });
});

describe('a stream', () => {
  it('of two writers: the reader gets what came second', () => {
    const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3);
    const given = analysed(script.send(2, 7, 5).send(3, 7, 9).receive(1, 7, 5).write(1, '/f'));
    const course = given.branches.of(ofKind(given, 'wait-wakeups'))!;
    expect(told(course)).toEqual({
      inside: ['1 pipe2()', '1 a fork', '1 a fork'],
      anchors: ['3 write()', '1 read()'],
    });
    expect(collected(course)).toEqual([]);
  });

  it('of one writer: a read that got two writes gets one, and the other way round', () => {
    const start = (): Script => new Script().makePipe(1, 7).fork(1, 2);
    const read = (script: Script, result: number): Script =>
      script.call(2, 'read', undefined, { file: pipe(7), args: [3, 0, 20], result });
    const both = analysed(read(start().send(1, 7, 10).send(1, 7, 10), 20));
    expect(told(both.branches.of(ofKind(both, 'wait-wakeups'))!)).toEqual({
      inside: ['1 pipe2()', '1 a fork'],
      anchors: ['1 write()', '2 read()'],
    });
    const first = analysed(read(start().send(1, 7, 10), 10).send(1, 7, 10));
    expect(told(first.branches.of(ofKind(first, 'wait-wakeups'))!)).toEqual({
      inside: ['1 pipe2()', '1 a fork', '1 write()'],
      anchors: ['1 write()', '2 read()'],
    });
  });

  it('of two readers: the second one reads first', () => {
    const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3);
    const given = analysed(script.send(1, 7, 10).receive(2, 7, 5).receive(3, 7, 5));
    expect(told(given.branches.of(ofKind(given, 'wakeup-waits'))!)).toEqual({
      inside: ['1 pipe2()', '1 a fork', '1 a fork', '1 write()'],
      anchors: ['3 read()', '2 read()'],
    });
  });
});

describe('a signal', () => {
  const USR1 = 10;

  it('is sent before what it could have met', () => {
    const handler = { args: [USR1], data: words(8, 1) };
    const script = new Script().fork(1, 2).call(2, 'mkdir', '/before');
    script.call(2, 'rt_sigaction', undefined, handler).call(2, 'mkdir', '/after');
    const given = analysed(script.kill(1, 2, USR1).signal(1, 2, USR1).exit(2));
    expect(told(given.branches.of(ofKind(given, 'signal'))!)).toEqual({
      inside: ['1 a fork', '2 mkdir("/before")'],
      anchors: ['1 kill()'],
    });
  });
});

describe('a signal that interrupted a call', () => {
  /** 1 sleeps when 2 signals it, and again until 3 has ended. */
  const asleepTwice = (): Script => {
    const script = new Script().fork(1, 2).fork(1, 3);
    script.kill(2, 1).signal(2, 1);
    script.call(1, 'rt_sigsuspend', undefined, { result: -4, entry: 4.5 }).exit(2).exit(3);
    const { sequence } = script.records.at(-1) as { sequence: number };
    script.signal(3, 1, 17);
    const again = { result: -4, entry: sequence + 0.5 };
    return script.call(1, 'rt_sigsuspend', undefined, again).wait(1, 3).wait(1, 2);
  };

  it('is sent when the call is over, by what ended it the next time', () => {
    const given = analysed(asleepTwice());
    const later = given.races.find(({ parts }) =>
      parts.some(({ verb }) => verb === 'is interrupted by'),
    );
    const course = given.branches.of(later!)!;
    expect(told(course)).toEqual({
      inside: ['1 a fork', '1 a fork', '1 the arrival of SIGUSR1', '3 its end'],
      anchors: ['1 rt_sigsuspend()', '2 kill()'],
    });
    expect([...course.without!].map(shown)).toEqual(['1 the arrival of SIGUSR1']);
    expect(shown(course.staysAfter!)).toBe('1 rt_sigsuspend()');
  });
});

it('the recorded run itself has no anchors, and everything inside', () => {
  const { recorded } = analysed(new Script().fork(1, 2).call(2, 'mkdir', '/a').exit(2)).branches;
  expect(recorded.anchors).toEqual([]);
  expect(recorded.inside).toBe(undefined);
});
