/**
 * Runs a program under each recorder, in this very thread: vitest's threads can load TypeScript,
 * workers of Node 20 cannot. Only for tests.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocking } from '../../../../base/resting.ts';
import { PLAIN_INHERITANCE } from '../../../../linux/own-inheritance.ts';
import { Signal, sendSignal } from '../../../../linux/signals.ts';
import { spawnStopped } from '../../../../linux/spawn.ts';
import type { Program } from '../../../../linux/start-traced.ts';
import { WaitOption, waitForChild } from '../../../../linux/wait.ts';
import { readTrace } from '../../../../trace/reader.ts';
import type { TraceRecord } from '../../../../trace/records/record.ts';
import { TraceWriter } from '../../../../trace/writer.ts';
import { recordInKernel } from '../../kernel-recording.ts';
import type { Observer } from '../../observer.ts';
import { PtraceRecorder } from '../../ptrace-recorder.ts';
import { type BpfOptions, BpfRecorder } from '../bpf-recorder.ts';

/** With PWD, which the shell that starts the second one would add. */
const ENVIRONMENT = ['PATH=/usr/bin:/bin', 'LC_ALL=C', `PWD=${process.cwd()}`];

/** `args[0]` is an absolute path. */
export function recordWithPtrace(args: readonly string[]): TraceRecord[] {
  const records: TraceRecord[] = [];
  new PtraceRecorder(observer(records)).run(programOf(args));
  return records;
}

/** As `deadheat record` does it, with the filter that refuses some calls, and by way of a file. */
export function recordInside(args: readonly string[]): BpfRecording {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-inside-'));
  const path = join(folder, 'trace');
  const writer = new TraceWriter(path);
  const written: Observer = {
    ...observer([]),
    append: (record) => writer.append(record),
    appendCall: (row) => writer.appendCall(row),
  };
  try {
    const { droppedEvents } = blocking(recordInKernel(programOf(args), written));
    writer.close({ droppedEvents });
    return { records: [...readTrace(path)], droppedEvents };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const observer = (records: TraceRecord[]): Observer => ({
  append: (record) => records.push(record),
  alive: () => {},
  mustEnd: () => false,
});

const programOf = (args: readonly string[]): Program => ({
  path: args[0] ?? '',
  args,
  environment: ENVIRONMENT,
  inheritance: PLAIN_INHERITANCE,
});

const NAP = new Int32Array(new SharedArrayBuffer(4));
const NAP_MS = 2;

export interface BpfRecording {
  records: TraceRecord[];
  droppedEvents: number;
}

export function recordWithBpf(args: readonly string[], options: BpfOptions = {}): BpfRecording {
  const records: TraceRecord[] = [];
  const root = spawnStopped({ args, environment: ENVIRONMENT });
  const recorder = new BpfRecorder();
  let droppedEvents = 0;
  try {
    recorder.start(root, { append: (record) => records.push(record) }, options);
    sendSignal(root, Signal.SIGCONT);
    while (recorder.isAlive()) {
      recorder.poll();
      Atomics.wait(NAP, 0, 0, NAP_MS);
    }
  } catch (error) {
    sendSignal(root, Signal.SIGKILL);
    throw error;
  } finally {
    waitForChild(root, WaitOption.all);
    ({ droppedEvents } = recorder.stop());
  }
  return { records, droppedEvents };
}
