/**
 * Runs a program under the eBPF recorder. It is started as the ptrace recorder would start it, and
 * let go at its exec: from then on nothing stops, and programs in the kernel tell what happens.
 * Looks at the ring now and then until the last task is gone, and rests in between.
 */
import type { Resting } from '../../base/resting.ts';
import { errnoNumber } from '../../linux/errno.ts';
import { pid, type Tid } from '../../linux/ids.ts';
import { installFilter } from '../../linux/inject.ts';
import { detach } from '../../linux/ptrace.ts';
import { refuseOnly } from '../../linux/seccomp.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { type Program, startProgram } from '../../linux/start-traced.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import type { CallRow } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { REFUSED } from '../model/recorded/unrecorded.ts';
import { BpfRecorder } from './bpf/bpf-recorder.ts';
import type { BpfObserver } from './bpf/consumer.ts';
import type { Observer, RecorderResult } from './observer.ts';
import { RingReading } from './ring-reading.ts';

const ENOSYS = errnoNumber('ENOSYS') ?? 0;

export function* recordInKernel(program: Program, observer: Observer): Resting<RecorderResult> {
  const recorder = new BpfRecorder();
  const rootExit = new ExitOfRoot(observer);
  try {
    const started = startProgram(program, (task) => {
      installFilter(task, refuseOnly(REFUSED, ENOSYS));
      recorder.start(pid(task), rootExit);
    });
    const root = started.task;
    rootExit.root = root;
    observer.alive(root);
    detach(root);
    const reading = new RingReading(recorder);
    while (recorder.isAlive() || !started.isOver()) {
      // A program that others wait for must not stay a zombie until the last of its tree is gone.
      started.isOver();
      if (observer.mustEnd()) {
        reading.readNow();
        killAll(recorder.living);
      }
      yield reading.poll(started.status() === undefined);
      const [survivor] = recorder.living;
      observer.alive(survivor ?? (recorder.isAlive() ? root : undefined));
    }
    observer.alive(undefined);
    const { droppedEvents } = recorder.stop();
    return { status: started.status() ?? rootExit.status, droppedEvents };
  } finally {
    recorder.stop();
  }
}

/** Passes records on, and notes how the root ended, in case nobody is left to tell. */
class ExitOfRoot implements BpfObserver {
  root: Tid | undefined;
  status = 0;
  readonly appendCall?: (row: CallRow) => void;
  readonly #observer: Observer;

  constructor(observer: Observer) {
    this.#observer = observer;
    if (observer.appendCall) this.appendCall = observer.appendCall.bind(observer);
  }

  append(record: TraceRecord): void {
    if (record.kind === 'exit' && record.tid === this.root) this.status = record.status;
    this.#observer.append(record);
  }
}

function killAll(tasks: Iterable<Tid>): void {
  for (const task of tasks) ignoringTheDead(() => sendSignal(task, Signal.SIGKILL));
}
