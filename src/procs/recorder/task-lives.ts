/**
 * Births and ends of traced tasks. A child's first stop and its parent's word of it come in either order;
 * the birth is recorded once both are there, or once the parent can say nothing any more:
 *
 *   15 stops for the first time         waits
 *   14 says that it has forked 15       start record; 15 goes on
 *
 *   15 stops for the first time         waits
 *   14 is killed in the middle of fork  start record all the same; 15 goes on
 *
 * Who waits, and for whom: task-table.ts.
 */
import { pid, type Tid, tid } from '../../linux/ids.ts';
import { resume } from '../../linux/ptrace.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import { ownPidOf } from './task-numbers.ts';
import type { TracedTree } from './traced-tree.ts';

export class TaskLives {
  readonly #tree: TracedTree;

  constructor(tree: TracedTree) {
    this.#tree = tree;
  }

  /** It stops for the first time. */
  started(task: Tid): void {
    const { tasks } = this.#tree;
    if (tasks.get(task)) return this.#tree.resume(task);
    tasks.wait(task);
    this.#releaseOrphans();
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const { tasks, conductor, answers } = this.#tree;
    const hasStopped = tasks.isWaiting(child);
    if (!tasks.isOldNews(child)) this.announce(child, parent, how);
    const isThread = Number(tasks.get(child)?.process ?? child) !== Number(child);
    conductor?.forked(parent, child, isThread ? 'thread' : how);
    answers?.forked(parent, child);
    if (hasStopped) ignoringTheDead(() => resume(child, 'freely'));
    this.#tree.resume(parent);
  }

  announce(task: Tid, parentTid: Tid, how: StartRecord['how']): void {
    const { tasks, namespaced, files } = this.#tree;
    const numbers = tasks.numbersOf(task);
    if (numbers) namespaced.learn(task, numbers);
    const process = numbers?.process ?? pid(task);
    // clone(2) makes processes too, and only the thread group tells.
    const kind = numbers?.isThread ? 'thread' : how === 'thread' ? 'fork' : how;
    const ownPid = numbers && ownPidOf(numbers);
    this.#tree.append({ kind: 'start', tid: task, pid: process, parentTid, how: kind, ownPid });
    tasks.add(task, process);
    const parent = tasks.get(parentTid);
    if (parent && kind !== 'thread') files.descriptions.forked(parent.process, process);
  }

  /** Under the number of its process, whose other threads are gone. */
  execed(task: Tid): void {
    this.#tree.tasks.execed(pid(task));
    this.#releaseOrphans();
  }

  exits(task: Tid, status: number): void {
    if (this.#tree.tasks.isWaiting(task)) this.#announceUnasked(task);
    this.#noteEnd(task, status);
    if (this.#tree.conductor) this.#tree.conductor.exits(task, status);
    else resume(task, 'freely');
  }

  /** A second SIGKILL can take a task away from its exit stop: then this is the first we hear. */
  gone(task: Tid, status: number): void {
    const { tasks, files, conductor, answers, observer } = this.#tree;
    this.#noteEnd(task, status);
    const state = tasks.remove(task);
    if (state && !tasks.hasProcess(state.process)) files.descriptions.exited(state.process);
    this.#releaseOrphans();
    conductor?.gone(task);
    answers?.gone(task);
    observer.alive(tasks.survivor);
  }

  #noteEnd(task: Tid, status: number): void {
    const state = this.#tree.tasks.get(task);
    if (!state || state.hasExited) return;
    state.hasExited = true;
    this.#tree.append({ kind: 'exit', tid: task, status });
  }

  #releaseOrphans(): void {
    for (const task of this.#tree.tasks.orphans()) {
      this.#announceUnasked(task);
      ignoringTheDead(() => resume(task, 'freely'));
    }
  }

  /** Its parent has not told us of it, and perhaps never will. */
  #announceUnasked(task: Tid): void {
    const creator = this.#tree.tasks.stopWaiting(task);
    this.announce(task, tid(creator ?? 0), 'fork');
  }
}
