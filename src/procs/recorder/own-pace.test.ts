import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { blockFor } from '../../base/block.ts';
import { type Tid, tid } from '../../linux/ids.ts';
import { PLAIN_INHERITANCE } from '../../linux/own-inheritance.ts';
import { syscallName, syscallNumber } from '../../linux/syscalls.ts';
import { runsOf, sleepsInCall } from '../../linux/task-state.ts';
import { FreeConductor } from '../branch/free-conductor.ts';
import type { EnteredCall } from './conductor.ts';
import { isForDisk, isStill } from './own-pace.ts';
import { PtraceRecorder } from './ptrace-recorder.ts';
import type { TaskState } from './task-table.ts';

/** Has hardly any patience, and notes in which calls somebody was when it was told that nothing moves. */
class Impatient extends FreeConductor {
  readonly stalledIn = new Set<string>();
  readonly #current = new Map<Tid, string>();

  override enters(task: Tid, call: EnteredCall): void {
    this.#current.set(task, syscallName(call.number));
    super.enters(task, call);
  }

  override left(task: Tid): boolean {
    this.#current.delete(task);
    return super.left(task);
  }

  override patience(): number | undefined {
    const [somebody] = this.family;
    return somebody && 1;
  }

  override stalled(): void {
    for (const call of this.#current.values()) this.stalledIn.add(call);
  }
}

function stalledIn(...args: string[]): ReadonlySet<string> {
  const conductor = new Impatient();
  const observer = { append: () => {}, alive: () => {}, mustEnd: () => false };
  new PtraceRecorder(observer, conductor).run({
    path: args[0]!,
    args,
    environment: ['PATH=/usr/bin:/bin'],
    inheritance: PLAIN_INHERITANCE,
  });
  return conductor.stalledIn;
}

it('a call that works for longer than anybody has patience is not taken for one that waits', () => {
  // One read, which makes random bytes all the time: many milliseconds on any machine.
  const words = '/bin/dd if=/dev/urandom of=/dev/null bs=32M count=1 status=none'.split(' ');
  expect(stalledIn(...words)).not.toContain('read');
});

it('a call that waits for another process is', () => {
  expect(stalledIn('/bin/sh', '-c', 'sleep 0.3; :')).toContain('wait4');
});

it('a sleep that no signal ends is for a disk, unless it is for another task', () => {
  const inCall = (name: string, firstArgument = 0): boolean =>
    isForDisk({ number: syscallNumber(name), firstArgument });
  const forkFlags = 0x01200011;
  const spawnFlags = 0x4111;
  expect(isForDisk(undefined)).toBe(true);
  expect([inCall('fsync'), inCall('fork'), inCall('clone', forkFlags)]).toEqual([true, true, true]);
  expect([inCall('vfork'), inCall('clone', spawnFlags), inCall('clone3')]).toEqual([
    ...[false, false, false],
  ]);
  expect(inCall('execve')).toBe(false);
});

it('one who was woken when another was looked at is not still', () => {
  const fifo = join(mkdtempSync(join(tmpdir(), 'deadheat-')), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const input = openSync(fifo, 'r+');
  const reader = spawn('/bin/sh', ['-c', 'while read line; do :; done'], {
    stdio: [input, 'ignore', 'inherit'],
  });
  const task = tid(reader.pid!);
  const waitUntilItSleeps = (before: string): void => {
    while (runsOf(task) === before || sleepsInCall(task) !== syscallNumber('read')) blockFor(1);
  };
  const state = { task, hasExited: false } as TaskState;
  let wakes = true;
  const tasks = {
    some(condition: (one: TaskState) => boolean): boolean {
      const before = runsOf(task);
      const met = condition(state);
      if (!wakes) return met;
      wakes = false;
      writeSync(input, 'line\n');
      waitUntilItSleeps(before);
      return met;
    },
  };
  try {
    waitUntilItSleeps('');
    expect(isStill(tasks)).toBe(false);
    expect(isStill(tasks)).toBe(true);
  } finally {
    reader.kill('SIGKILL');
    closeSync(input);
    rmSync(dirname(fifo), { recursive: true });
  }
});
