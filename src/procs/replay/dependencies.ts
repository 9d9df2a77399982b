/**
 * What each step of a replay has to wait for: the recorded partial order (RacePro, section 6.2).
 *
 *   what happened before it for certain       a wait, the end of its child; a read, the write
 *   what it raced with, and lost to           the write of a file, the reads that came before it
 *   the last process that was started         so that numbers are given out as they were
 *   what other threads of its process did     since nobody sees what they tell each other
 *   what was written into a pipe              before its reader ends, with whom it would be broken
 *   a signal that broke off a call            before anybody ends: the call might end by that instead
 *
 * Steps that have nothing to do with each other are in no order, and run beside each other as far as
 * there are processors.
 */
import { tellingOf } from '../../base/progress.ts';
import { Signal } from '../../linux/signals.ts';
import { racyLocations } from '../detect/load-store/engine.ts';
import type { Location } from '../detect/load-store/state.ts';
import type { Timeline } from '../detect/timeline.ts';
import { type Operation, PARTS } from '../model/operation.ts';
import { PipeEnds } from './pipe-ends.ts';
import type { Item, Script, ScriptedTask } from './script.ts';
import { isInThreadOrder } from './thread-order.ts';

export type Dependencies = ReadonlyMap<Item, readonly Item[]>;

export function dependenciesOf(script: Script, timeline: Timeline): Dependencies {
  const builder = new Builder(script, timeline);
  builder.addCauses();
  builder.addRaces();
  builder.addStarts();
  builder.addThreads();
  builder.addChildSignals();
  builder.addReaders();
  builder.addInterruptions();
  return builder.dependencies;
}

class Builder {
  readonly dependencies = new Map<Item, Item[]>();
  readonly #script: Script;
  readonly #timeline: Timeline;
  readonly #itemOf: ReadonlyMap<object, Item>;

  constructor(script: Script, timeline: Timeline) {
    this.#script = script;
    this.#timeline = timeline;
    this.#itemOf = new Map(script.items.map((item) => [item.record, item]));
  }

  addCauses(): void {
    const { steps, graph } = this.#timeline;
    for (const { record, event } of tellingOf('calls given those to wait for', steps)) {
      for (const cause of graph.edgesInto(event)) {
        this.#add(this.#itemOf.get(record), this.#itemOf.get(steps[cause]!.record));
      }
    }
  }

  addRaces(): void {
    for (const location of racyLocations(this.#timeline, this.#timeline.steps, PARTS)) {
      const stored = new Map<ScriptedTask, Item>();
      const loaded = new Map<ScriptedTask, Item>();
      for (const { item, operation } of this.#byTurn(location)) {
        for (const earlier of stored.values()) this.#add(item, earlier);
        if (operation.op === 'load') loaded.set(item.task, item);
        else {
          for (const earlier of loaded.values()) this.#add(item, earlier);
          loaded.clear();
          stored.clear();
          stored.set(item.task, item);
        }
      }
    }
  }

  /** Not as in the timeline: an exec that overlapped with another step has its turn when it began. */
  #byTurn(location: Location): { item: Item; operation: Operation }[] {
    return location
      .flatMap(({ step, operation }) => {
        const item = this.#itemOf.get(step.record);
        return item ? [{ item, operation }] : [];
      })
      .sort((a, b) => a.item.turn - b.item.turn);
  }

  addStarts(): void {
    let last: Item | undefined;
    for (const item of this.#script.items) {
      if (!item.child) continue;
      this.#add(item, last);
      last = item;
    }
  }

  /** They share descriptors, so that even the numbers of those depend on it. */
  addThreads(): void {
    const last = new Map<number, Item>();
    for (const item of this.#script.items) {
      if (!isInThreadOrder(item)) continue;
      const { pid } = item.task.start;
      this.#add(item, last.get(pid));
      last.set(pid, item);
    }
  }

  /** The kernel sends them when a child has ended. */
  addChildSignals(): void {
    const ends = new Map<number, Item>();
    for (const item of this.#script.items) {
      const { record, task } = item;
      if (record.kind === 'exit') ends.set(task.start.pid, item);
      if (record.kind === 'signal' && record.signal === Signal.SIGCHLD) {
        this.#add(item, ends.get(record.from));
      }
    }
  }

  /** What was written into pipes comes before the ends of their readers, or after them. */
  addReaders(): void {
    const ends = new PipeEnds();
    for (const item of this.#script.items) {
      const { record } = item;
      if (record.kind === 'exit') {
        for (const write of ends.ofEnd(item, record)) this.#add(item, write);
      } else if (record.kind === 'call') {
        for (const end of ends.ofCall(item, record)) this.#add(item, end);
      }
    }
  }

  /**
   * Whoever waits for children is interrupted while there are none to collect; but the kernel looks for them once
   * more before it says so. The one that sent the signal may have begun to end meanwhile.
   */
  addInterruptions(): void {
    const { items, tasks } = this.#script;
    for (const signal of items) {
      const { record, task } = signal;
      if (record.kind !== 'signal' || record.phase !== 'interrupting') continue;
      for (const other of tasks) {
        const end = other.items.at(-1);
        if (end?.record.kind === 'exit') this.#add(end, signal);
      }
      if (record.signal === Signal.SIGCHLD) continue;
      const sender = tasks.findLast(
        ({ start }) => start.tid === record.from && start.sequence < record.sequence,
      );
      const [sent, end] = sender?.items.slice(-2) ?? [];
      const before = task.items[task.items.indexOf(signal) - 1];
      const hasOnlyWaited = sent !== undefined && (before?.turn ?? -1) < sent.turn;
      if (end?.record.kind === 'exit' && hasOnlyWaited && sender !== task) this.#put(end, signal);
    }
  }

  /** In a task of its own, each item follows the one before in any case. */
  #add(item: Item | undefined, earlier: Item | undefined): void {
    if (!item || !earlier || item.task === earlier.task || earlier.turn >= item.turn) return;
    this.#put(item, earlier);
  }

  #put(item: Item, earlier: Item): void {
    const known = this.dependencies.get(item);
    if (!known) this.dependencies.set(item, [earlier]);
    else if (!known.includes(earlier)) known.push(earlier);
  }
}
