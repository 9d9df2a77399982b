/**
 * Runs a program under the eBPF recorder. It is started as the ptrace recorder would start it, and
 * let go at its exec: from then on nothing stops, and programs in the kernel tell what happens.
 * Blocks its thread, reading the ring every few milliseconds, until the last task is gone.
 */
import { blockFor } from '../../base/block.ts';
import { errnoNumber } from '../../linux/errno.ts';
import { pid, type Tid } from '../../linux/ids.ts';
import { installFilter } from '../../linux/inject.ts';
import { detach } from '../../linux/ptrace.ts';
import { refuseOnly } from '../../linux/seccomp.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { type Program, startTraced } from '../../linux/start-traced.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import { WaitOption, waitForChild } from '../../linux/wait.ts';
import { REFUSED } from '../model/recorded/unrecorded.ts';
import { BpfRecorder } from './bpf/bpf-recorder.ts';
import type { Observer, RecorderResult } from './observer.ts';

const PAUSE_MS = 3;
const ENOSYS = errnoNumber('ENOSYS') ?? 0;

export function recordInKernel(program: Program, observer: Observer): RecorderResult {
  const recorder = new BpfRecorder();
  try {
    const root = startTraced(program, (task) => {
      installFilter(task, refuseOnly(REFUSED, ENOSYS));
      recorder.start(pid(task), observer);
    });
    observer.alive(root);
    detach(root);
    const options = WaitOption.all | WaitOption.ownThread;
    let status: number | undefined;
    while (recorder.isAlive()) {
      // A program that others wait for must not stay a zombie until the last of its tree is gone.
      status ??= waitForChild(root, options | WaitOption.noHang)?.status;
      if (observer.mustEnd()) killAll(recorder.living);
      if (recorder.poll() === 0) blockFor(PAUSE_MS);
      const [survivor] = recorder.living;
      observer.alive(survivor ?? (status === undefined ? root : undefined));
    }
    status ??= waitForChild(root, options)?.status;
    observer.alive(undefined);
    return { status: status ?? 0, ...recorder.stop() };
  } finally {
    recorder.stop();
  }
}

function killAll(tasks: Iterable<Tid>): void {
  for (const task of tasks) ignoringTheDead(() => sendSignal(task, Signal.SIGKILL));
}
