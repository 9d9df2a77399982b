import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Pid, pid, type Tid, tid } from '../../linux/ids.ts';
import { effectiveCapabilities } from '../../linux/kernel-settings.ts';
import { PLAIN_INHERITANCE } from '../../linux/own-inheritance.ts';
import { prepareSandbox } from '../../linux/sandbox/prepare.ts';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import { syscallName, syscallNumber } from '../../linux/syscalls.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { Branches } from '../branch/branch.ts';
import { buildTimeline } from '../detect/timeline.ts';
import type { Conductor, Passage } from '../recorder/conductor.ts';
import { PtraceRecorder } from '../recorder/ptrace-recorder.ts';
import { callRecord, pipe, Script } from '../testdata/records.ts';
import type { Course } from './course.ts';
import { Follower } from './follower.ts';
import { Player } from './player.ts';
import { buildScript } from './script.ts';
import { significantCalls } from './significance.ts';
import { dependsOnFilters, UnseenRests } from './unseen-rest.ts';

function courseOf(records: readonly TraceRecord[]): Course {
  const timeline = buildTimeline(records, process.cwd());
  return new Branches(timeline, buildScript(records, significantCalls(timeline))!).recorded;
}

/** After how many of its items a task need not be seen any more. */
function beginOf(course: Course, task: number, threaded: readonly Pid[] = []): number | undefined {
  const script = course.script.tasks[task]!;
  const rests = new UnseenRests(course, new Set(threaded));
  const player = new Player(script.start.tid, script);
  for (const _ of script.items) {
    if (rests.hasBegun(player)) return player.done;
    player.advance();
  }
  return undefined;
}

/** 2 gets something from 1, and then looks at files that nobody changes. Some stat needs a place. */
const lookAfterReading = (): Script =>
  new Script()
    .fork(1, 2)
    .send(1, 7)
    .receive(2, 7)
    .call(2, 'stat', '/a')
    .call(2, 'stat', '/b')
    .call(1, 'stat', undefined, { file: pipe(7) })
    .exit(2)
    .exit(1);

describe('the rest of a task', () => {
  it('begins behind the last step that needs a place in the order', () => {
    const course = courseOf(lookAfterReading().records);
    expect(course.script.tasks[1]!.items.map(({ isSignificant }) => isSignificant)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(beginOf(course, 1)).toBe(1);
  });

  it('is seen if the task may be alive when everybody is let go', () => {
    const course = courseOf(lookAfterReading().records);
    const [, task] = course.script.tasks;
    expect(beginOf({ ...course, inside: new Map([[task!, 4]]) }, 1)).toBe(1);
    expect(beginOf({ ...course, inside: new Map([[task!, 3]]) }, 1)).toBe(undefined);
    expect(beginOf({ ...course, inside: new Map() }, 1)).toBe(undefined);
  });

  it('is seen if another thread may end it, or if it was killed', () => {
    expect(beginOf(courseOf(lookAfterReading().records), 1, [pid(2)])).toBe(undefined);
    const killed = lookAfterReading().records.map((record) =>
      record.kind === 'exit' ? { ...record, status: 9 } : record,
    );
    expect(beginOf(courseOf(killed), 1)).toBe(undefined);
  });

  it('is seen if some program goes by filters', () => {
    const { records } = lookAfterReading().call(1, 'seccomp');
    expect(beginOf(courseOf(records), 1)).toBe(undefined);
  });
});

it.each([
  ['seccomp', [], true],
  ['prctl', [22, 2], true],
  ['prctl', [15], false],
  ['io_uring_setup', [], true],
  ['stat', [], false],
])('whether %s %j depends on filters', (name, args, expected) => {
  expect(dependsOnFilters(callRecord(1, name, undefined, { args }))).toBe(expected);
});

describe('a task that is not seen any more', () => {
  /** Numbers that no process of this machine has. */
  const [one, two, three] = [4_200_001, 4_200_002, 4_200_003].map(tid) as [Tid, Tid, Tid];

  const atRest = (): Follower => {
    const follower = new Follower(courseOf(lookAfterReading().records));
    follower.begins(one);
    follower.enters(one, { number: syscallNumber('clone'), args: [] });
    follower.forked(one, two, 'fork');
    for (const [task, name] of [
      [one, 'write'],
      [two, 'read'],
    ] as const) {
      follower.enters(task, { number: syscallNumber(name), args: [] });
      follower.left(task, callRecord(task, name, undefined), []);
    }
    expect(follower.mayPass(two, syscallNumber('stat'), [])).toBe('passes from now on');
    return follower;
  };

  it('may do whatever it likes', () => {
    const follower = atRest();
    expect(follower.mayPass(two, syscallNumber('openat'), [])).toBe('passes from now on');
    follower.exits(two);
    expect(follower.divergence).toBe(undefined);
  });

  it('goes astray if it starts another task, or runs another program', () => {
    const forking = atRest();
    expect(forking.mayPass(two, syscallNumber('vfork'), [])).toBe('stops');
    forking.forked(two, three, 'fork');
    expect(forking.divergence?.reason).toBe('a fork instead of its end');
    const running = atRest();
    running.execed(two);
    expect(running.divergence?.reason).toBe('another program instead of its end');
  });
});

/** Two race for a file, so that opening some needs a place; a third opens many that nobody changes. */
const PROGRAM = [
  '/bin/sh',
  '-c',
  `cd /tmp; echo a >raced & cat raced >/dev/null 2>&1; grep -q '$^' ${'/etc/passwd '.repeat(50)}; wait`,
];

/** In a sandbox, where its processes get the same numbers each time. */
function recordedBy(conductor?: Conductor): TraceRecord[] {
  const changes = mkdtempSync(join(tmpdir(), 'deadheat-unseen-'));
  const records: TraceRecord[] = [];
  const observer = {
    append: (record: TraceRecord) => void records.push(record),
    alive: () => {},
    mustEnd: () => false,
  };
  try {
    const place = { cwd: '/', changes, hidden: changes };
    const plan = { ...prepareSandbox(place), choosesNumbers: true };
    new PtraceRecorder(observer, conductor).run({
      path: PROGRAM[0]!,
      args: PROGRAM,
      environment: ['PATH=/usr/bin:/bin', 'LC_ALL=C'],
      inheritance: PLAIN_INHERITANCE,
      sandbox: { plan, built: () => {} },
    });
    return records;
  } finally {
    removeTree(changes);
  }
}

/** How it answered, and how it answers if every call is to stop to the end. */
class Watched extends Follower {
  readonly answers: Passage[] = [];
  readonly #seesRests: boolean;

  constructor(course: Course, seesRests: boolean) {
    super(course);
    this.#seesRests = seesRests;
  }

  override mayPass(...call: Parameters<Follower['mayPass']>): Passage {
    const answer = super.mayPass(...call);
    this.answers.push(answer);
    return this.#seesRests && answer === 'passes from now on' ? 'passes' : answer;
  }
}

/** What each task did, whatever their numbers are. */
function told(records: readonly TraceRecord[]): string[] {
  const tasks: number[] = [];
  const numberOf = (task: number): number =>
    tasks.includes(task) ? tasks.indexOf(task) : tasks.push(task) - 1;
  const lines = records.flatMap((record): string[] => {
    if (record.kind === 'call') {
      return [`${numberOf(record.tid)} ${syscallName(record.number)} ${record.path ?? ''}`];
    }
    if (record.kind === 'start') return [`${numberOf(record.tid)} starts`];
    return record.kind === 'exit' ? [`${numberOf(record.tid)} ends with ${record.status}`] : [];
  });
  return lines.sort();
}

it('unseen or seen, a program that is run again does the same', () => {
  const course = courseOf(recordedBy());
  const [unseen, seen] = [false, true].map((seesRests) => {
    const conductor = new Watched(course, seesRests);
    const records = recordedBy(conductor);
    expect(conductor.divergence).toBe(undefined);
    expect(conductor.isThrough).toBe(true);
    return { records, answers: conductor.answers };
  });
  expect(told(unseen!.records)).toEqual(told(seen!.records));
  expect(unseen!.answers).toContain('passes from now on');
  // Without that, all stops come nevertheless: suspended-filters.ts.
  const hasNoFilters = /^Seccomp:\s*0$/m.test(readFileSync('/proc/self/status', 'latin1'));
  if (effectiveCapabilities().includes('CAP_SYS_ADMIN') && hasNoFilters) {
    expect(unseen!.answers.length).toBeLessThan(seen!.answers.length);
  }
});
