/**
 * The processes of a recording as tasks of the happens-before graph, with the edges between them
 * that come from their being born, stopped for each other, signalled and ended.
 */
import type { Pid } from '../../../linux/ids.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';

interface Process {
  task: TaskId;
  parent: Pid | undefined;
  threads: number;
  last?: EventId;
  exit?: EventId;
  /** Those that it has made by vfork and that have neither called exec nor ended: it stands still. */
  heldBy: Set<Process>;
  /** What its next event comes after, besides its own last one. */
  pending: EventId[];
  children: Set<Pid>;
}

export class ProcessEvents {
  readonly #graph: HappensBeforeGraph;
  readonly #processes = new Map<Pid, Process>();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  /** Returns the parent's event of making it, if the parent still makes any. */
  start(pid: Pid, parent: Pid | undefined, isVfork: boolean): EventId | undefined {
    const creator = parent === undefined ? undefined : this.#processes.get(parent);
    const fork = creator && (creator.exit ?? this.add(parent!, []));
    const process: Process = {
      task: this.#graph.startTask(fork),
      parent,
      threads: 1,
      heldBy: new Set(),
      pending: [],
      children: new Set(),
    };
    if (isVfork) creator?.heldBy.add(process);
    creator?.children.add(pid);
    this.#processes.set(pid, process);
    return creator?.exit === undefined ? fork : undefined;
  }

  startThread(pid: Pid): void {
    this.#get(pid).threads++;
  }

  /**
   * The next event of a process. A thread that was born while its process was being killed may be
   * heard of after the process has ended: what it did counts as done at the end.
   */
  add(pid: Pid, after: readonly EventId[]): EventId {
    const process = this.#get(pid);
    if (process.exit !== undefined) return process.exit;
    // The parent goes on as soon as the child's exec begins, which is before we hear of it.
    const held = [...process.heldBy].flatMap(({ last }) => (last === undefined ? [] : [last]));
    const others = [...process.pending, ...held];
    process.pending = [];
    process.last = this.#graph.add(process.task, others.length > 0 ? [...after, ...others] : after);
    return process.last;
  }

  /**
   * What a process has learned from a step, but did not wait for: whatever it does next comes after
   * these. The step itself could have come before them, with another outcome.
   */
  learn(pid: Pid, events: readonly EventId[]): void {
    this.#get(pid).pending.push(...events);
  }

  /** The child of a vfork has called exec, or is gone. */
  endVfork(pid: Pid): void {
    const process = this.#get(pid);
    const parent = process.parent === undefined ? undefined : this.#processes.get(process.parent);
    const held = parent?.heldBy.delete(process) ?? false;
    if (parent && held && process.last !== undefined) parent.pending.push(process.last);
  }

  /** The event of its end, after what has brought that about; and whether the whole process has ended with it. */
  endThread(
    pid: Pid,
    causes: readonly EventId[] = [],
  ): { event: EventId; isLast: boolean } | undefined {
    const process = this.#get(pid);
    if (process.exit !== undefined) return undefined;
    const event = this.add(pid, causes);
    process.threads--;
    if (process.threads > 0) return { event, isLast: false };
    process.exit = event;
    this.endVfork(pid);
    this.#graph.endTask(process.task);
    return { event, isLast: true };
  }

  hasEnded(pid: Pid): boolean {
    return this.#processes.get(pid)?.exit !== undefined;
  }

  parentOf(pid: Pid): Pid | undefined {
    return this.#processes.get(pid)?.parent;
  }

  /** The nearest first; only those that live. A loop of numbers that were used again is cut. */
  ancestorsOf(pid: Pid): Pid[] {
    const found = new Set<Pid>();
    for (let one = this.parentOf(pid); one !== undefined; one = this.parentOf(one)) {
      if (found.has(one) || this.hasEnded(one)) break;
      found.add(one);
    }
    return [...found];
  }

  /** What a process has done last, so far. */
  lastOf(pid: Pid): EventId[] {
    const last = this.#processes.get(pid)?.last;
    return last === undefined ? [] : [last];
  }

  exitOf(pid: Pid): EventId[] {
    const exit = this.#processes.get(pid)?.exit;
    return exit === undefined ? [] : [exit];
  }

  taskOf(pid: Pid): TaskId {
    return this.#get(pid).task;
  }

  /**
   * Whether a child is the one that was started last of those whose end its parent has not seen yet:
   * a shell waits for that one, and meets others on the way.
   */
  isNewest(pid: Pid, child: Pid): boolean {
    const children = [...(this.#processes.get(pid)?.children ?? [])];
    return children.at(-1) === child;
  }

  /** A wait of the process has collected the child: what it comes after. */
  collected(pid: Pid, child: Pid): EventId[] {
    this.#processes.get(pid)?.children.delete(child);
    return this.exitOf(child);
  }

  /** A wait has found that this child is gone, without collecting it. */
  foundGone(pid: Pid, child: Pid): EventId[] {
    return this.#processes.get(pid)?.children.has(child) ? this.collected(pid, child) : [];
  }

  /** The same for all children that have ended. */
  foundAllGone(pid: Pid): EventId[] {
    return this.childrenOf(pid).flatMap((child) =>
      this.hasEnded(child) ? this.collected(pid, child) : [],
    );
  }

  /**
   * Those that it has not collected, also if they have ended. A number that was used again is
   * somebody else's child now.
   */
  childrenOf(pid: Pid): Pid[] {
    const children = this.#processes.get(pid)?.children ?? [];
    return [...children].filter((child) => this.#processes.get(child)?.parent === pid);
  }

  /** A recording that was cut off at its start may lack the birth of a process. */
  #get(pid: Pid): Process {
    let process = this.#processes.get(pid);
    if (!process) {
      this.start(pid, undefined, false);
      process = this.#processes.get(pid)!;
    }
    return process;
  }
}
