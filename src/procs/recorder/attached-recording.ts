/**
 * Records processes that run already, without touching them: the programs in the kernel are told to
 * watch them too. The kernel then watches whatever they fork by itself. What was there before is
 * told by records in front of all others, with numbers that the kernel leaves free:
 *
 *   1 start 4711 root    2 exec 4711 /usr/sbin/nginx    3 start 4712 fork of 4711    4 exec 4712 …
 *
 * A process may fork while the tree is being listed; so it is listed again until nobody is new.
 */

import type { Resting } from '../../base/resting.ts';
import { nanoseconds, type Pid, type Tid, tid } from '../../linux/ids.ts';
import {
  isRunning,
  type RunningTask,
  runningProgram,
  runningTree,
} from '../../linux/running-process.ts';
import { LONGEST_COMMAND_LINE } from '../../trace/records/exec.ts';
import { BpfRecorder } from './bpf/bpf-recorder.ts';
import type { Observer, RecorderResult } from './observer.ts';
import { RingReading } from './ring-reading.ts';

/** How often to look whether a task had ended just when it was added. */
const CHECK_MS = 500;

/**
 * Until the tree is gone or the observer wants the end; the processes themselves run on. `attached`
 * is called when everything they do is recorded from then on.
 */
export function* recordRunning(
  root: Pid,
  observer: Observer,
  attached: () => void,
): Resting<RecorderResult> {
  const recorder = new BpfRecorder();
  try {
    recorder.startWithoutRoot(observer);
    const added = addTree(root, recorder, observer);
    attached();
    const reading = new RingReading(recorder);
    for (let checkAt = Date.now() + CHECK_MS; recorder.isAlive() && !observer.mustEnd(); ) {
      yield reading.poll(true);
      if (Date.now() < checkAt) continue;
      forgetTheDead(added, recorder);
      checkAt = Date.now() + CHECK_MS;
    }
    return { status: 0, ...recorder.stop() };
  } finally {
    recorder.stop();
  }
}

function addTree(root: Pid, recorder: BpfRecorder, observer: Observer): Set<Tid> {
  const seen = new Set<Tid>();
  const added = new Set<Tid>();
  const teller = new Teller(observer);
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const running of runningTree(root)) {
      if (seen.has(running.task)) continue;
      seen.add(running.task);
      isNew = true;
      if (!recorder.track(running.task)) continue;
      added.add(running.task);
      teller.tell(running, tid(root));
    }
  }
  forgetTheDead(added, recorder);
  return added;
}

/** One that ended just before it was added would be waited for in vain. */
function forgetTheDead(added: Set<Tid>, recorder: BpfRecorder): void {
  for (const task of added) {
    if (isRunning(task)) continue;
    recorder.forget(task);
    added.delete(task);
  }
}

/** Writes the records of what was there before. */
class Teller {
  readonly #observer: Observer;
  #sequence = 0;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  tell({ task, process, parent }: RunningTask, root: Tid): void {
    const isThread = (process as number) !== task;
    const how = task === root ? 'root' : isThread ? 'thread' : 'fork';
    this.#observer.append({
      kind: 'start',
      ...this.#stamp(task),
      pid: process,
      parentTid: parent,
      how,
    });
    if (isThread) return;
    const { path, commandLine } = runningProgram(process);
    const shortened = commandLine.slice(0, LONGEST_COMMAND_LINE);
    this.#observer.append({ kind: 'exec', ...this.#stamp(task), path, commandLine: shortened });
  }

  #stamp(task: Tid) {
    return { sequence: ++this.#sequence, time: nanoseconds(0), tid: task };
  }
}
