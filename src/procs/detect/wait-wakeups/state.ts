/**
 * The state of wait-wakeups detection: which children a process has at the moment that it has not
 * collected yet. A child that was made after a wait cannot be what that wait was for.
 *
 *   fork 12, fork 13, wait      could have been for 12 or for 13
 *   fork 12, wait, fork 13      only for 12
 */
import type { Pid } from '../../../linux/ids.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId } from '../../../order/ids.ts';
import type { Step } from '../step.ts';
import type { ChildWait, Timeline } from '../timeline.ts';
import type { AmbiguousWait } from './event.ts';

/** Two lives under one number are told apart by when they ended. */
interface Child {
  end: Step | undefined;
}

export class UncollectedChildren {
  readonly #graph: HappensBeforeGraph;
  readonly #waits: ReadonlyMap<EventId, ChildWait>;
  readonly #children = new Map<Pid, Map<Pid, Child>>();
  readonly #parents = new Map<Pid, Child>();

  constructor({ graph, waits }: Timeline) {
    this.#graph = graph;
    this.#waits = new Map(waits.map((wait) => [wait.step.event, wait]));
  }

  /** First all ends are noted: a wait may be ambiguous because of one that comes after it. */
  born(step: Step, child: Pid, end: Step | undefined): void {
    const siblings = this.#children.get(step.process) ?? new Map<Pid, Child>();
    siblings.set(child, { end });
    this.#children.set(step.process, siblings);
    this.#parents.set(child, siblings.get(child)!);
  }

  /** The wait, if this is one that could have taken another child; takes the child off the list. */
  collected(step: Step): Omit<AmbiguousWait, 'next'> | undefined {
    const wait = this.#waits.get(step.event);
    const siblings = this.#children.get(step.process);
    if (!wait || !siblings) return undefined;
    const taken = siblings.get(wait.child)?.end;
    siblings.delete(wait.child);
    if (!wait.isWildcard || !taken) return undefined;
    for (const { end } of siblings.values()) {
      if (end && !this.#graph.happensBefore(step.event, end.event)) {
        return { wait, taken, other: end };
      }
    }
    return undefined;
  }
}
