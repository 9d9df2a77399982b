/**
 * A process tree under ptrace, as the parts of the recorder see it: ptrace-recorder.ts takes the stops one by
 * one, task-lives.ts has the births and ends among them, and traced-calls.ts the calls.
 *
 *   14 stops at a fork of 15     task-lives.ts      15 is in the table, a start record is appended
 *   15 stops at openat("log")    traced-calls.ts    it is in that call from now on
 */
import type { Tid } from '../../linux/ids.ts';
import { resume } from '../../linux/ptrace.ts';
import type { Answers } from './answers.ts';
import type { Conductor } from './conductor.ts';
import type { Observer } from './observer.ts';
import { Stamps, type UnstampedRecord } from './stamps.ts';
import { NamespacedPids } from './task-numbers.ts';
import { TaskTable } from './task-table.ts';
import { TraceeFiles } from './tracee-files.ts';

export class TracedTree {
  readonly tasks = new TaskTable();
  readonly namespaced = new NamespacedPids();
  readonly files = new TraceeFiles();
  readonly stamps = new Stamps();
  readonly observer: Observer;
  /** With a conductor, no task goes on before it has said so. */
  readonly conductor: Conductor | undefined;
  readonly answers: Answers | undefined;

  constructor(observer: Observer, conductor: Conductor | undefined, answers: Answers | undefined) {
    this.observer = observer;
    this.conductor = conductor;
    this.answers = answers;
  }

  append(record: UnstampedRecord): void {
    this.observer.append(this.stamps.on(record));
  }

  /** On to the end of the call it is in, if we want to see that; otherwise to whatever comes. */
  resume(task: Tid, signal = 0): void {
    resume(task, this.tasks.get(task)?.call ? 'to-syscall' : 'freely', signal);
  }
}
