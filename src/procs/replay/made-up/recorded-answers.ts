/**
 * All that the kernel made up in a recorded run, by who asked for it: each program that a task has run,
 * and each task by its place in the family tree, as numbers may be others the next time.
 *
 *   make ─┬─ sh ── mktemp      random bytes 6f a2 …
 *         └─ sh ── date        2026-11-16 06:14:41.619924104
 *
 * Not every program gets the time again. File systems go by the real clock: make, which compares
 * that to the times of files, would find files from the future. So who looks at the times of files that
 * the run has written gets the real time; and so does who waits until a certain time, as threads may.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid, Tid } from '../../../linux/ids.ts';
import { syscallName, syscallNumber } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import type { StartRecord } from '../../../trace/records/start.ts';
import type { Step } from '../../detect/step.ts';
import {
  CLOCK_CALLS,
  clockOf,
  DEVICE_READS,
  GETRANDOM,
  recordedTime,
} from '../../model/made-up-calls.ts';

/** What one program was told, from its exec (or fork) to the next exec or the end. */
export interface ProgramAnswers {
  readonly random: Buffer[];
  /** Of each read of a random device. */
  readonly devices: Buffer[];
  /** By the number of the clock. */
  readonly times: Map<number, bigint[]>;
  repeatsTime: boolean;
}

export interface TaskAnswers {
  readonly programs: ProgramAnswers[];
  readonly children: TaskAnswers[];
}

/** undefined if nobody was recorded. */
export function recordedAnswers(
  records: readonly TraceRecord[],
  steps: readonly Step[],
): TaskAnswers | undefined {
  const looking = looksAtTimes(steps);
  const tree = new Tree();
  const taken = new Map<Tid, Buffer[]>();
  for (const record of records) {
    switch (record.kind) {
      case 'start':
        tree.start(record);
        break;
      case 'exec':
        tree.of(record.tid)?.programs.push(noAnswers());
        break;
      case 'random':
        taken.set(record.tid, [...(taken.get(record.tid) ?? []), encodeBytes(record.data)]);
        break;
      case 'call': {
        const program = tree.of(record.tid)?.programs.at(-1);
        if (program && (looking.has(record) || waitsUntil(record))) program.repeatsTime = false;
        const pieces = taken.get(record.tid);
        taken.delete(record.tid);
        if (program) note(program, record, pieces && Buffer.concat(pieces));
      }
    }
  }
  tree.forgetTimesOfThreads();
  return tree.root;
}

const noAnswers = (): ProgramAnswers => ({
  random: [],
  devices: [],
  times: new Map(),
  repeatsTime: true,
});

/** `pieces`: what was too long for the call's own record. */
function note(program: ProgramAnswers, call: CallRecord, pieces: Buffer | undefined): void {
  const kept = call.data === undefined ? undefined : encodeBytes(call.data);
  const random = pieces ?? kept;
  if (call.number === GETRANDOM && random) program.random.push(random);
  else if (pieces && DEVICE_READS.has(call.number)) program.devices.push(pieces);
  const clock = CLOCK_CALLS.get(call.number);
  const time = clock && recordedTime(call, clock);
  if (!clock || time === undefined) return;
  const which = clockOf(clock, call.args);
  const known = program.times.get(which);
  if (known) known.push(time);
  else program.times.set(which, [time]);
}

/** Those with a flag for it are recorded only with that flag. */
const WAITING: ReadonlySet<string> = new Set([
  ...['clock_nanosleep', 'timer_settime', 'mq_timedsend', 'mq_timedreceive', 'futex'],
]);
const TIMERFD_SETTIME = syscallNumber('timerfd_settime');

const waitsUntil = ({ number, args }: CallRecord): boolean =>
  WAITING.has(syscallName(number)) || (number === TIMERFD_SETTIME && args[1] !== 0);

/** Calls with a path that look at the times of a file which the run has changed. */
function looksAtTimes(steps: readonly Step[]): ReadonlySet<unknown> {
  const changed = new Set<string>();
  for (const { operations } of steps) {
    for (const { op, part, thing } of operations) {
      if (op === 'store' && part === 'size') changed.add(thing.key);
    }
  }
  return new Set(
    steps
      .filter(
        ({ record, operations }) =>
          record.kind === 'call' &&
          record.path !== undefined &&
          operations.some(
            ({ op, part, thing }) => op === 'load' && part === 'size' && changed.has(thing.key),
          ),
      )
      .map(({ record }) => record),
  );
}

/** The tasks of a recording; a number belongs to the latest who got it. */
class Tree {
  root: TaskAnswers | undefined;
  readonly #tasks = new Map<Tid, TaskAnswers>();
  readonly #threads: { process: Pid; task: TaskAnswers }[] = [];
  readonly #leaders = new Map<Pid, TaskAnswers>();

  of(task: Tid): TaskAnswers | undefined {
    return this.#tasks.get(task);
  }

  start({ tid, pid, parentTid, how }: StartRecord): void {
    const task = { programs: [noAnswers()], children: [] };
    this.root ??= task;
    if (parentTid !== undefined) this.#tasks.get(parentTid)?.children.push(task);
    this.#tasks.set(tid, task);
    const leader = how === 'thread' ? this.#leaders.get(pid) : undefined;
    if (how !== 'thread') this.#leaders.set(pid, task);
    for (const one of leader ? [leader, task] : []) this.#threads.push({ process: pid, task: one });
  }

  forgetTimesOfThreads(): void {
    for (const { task } of this.#threads) {
      for (const program of task.programs) program.repeatsTime = false;
    }
  }
}
