/**
 * A specification made deterministic: all states that it may be in after a trace are one node.
 *
 *   a -> STOP [] a -> b -> STOP      { both }  ──a──▶  { STOP, b -> STOP }  ──b──▶  { STOP }
 */
import { type Event, TAU } from './events.ts';
import type { Semantics } from './semantics.ts';
import type { StateNumber } from './states.ts';

export type NodeNumber = number;

export class NormalForm {
  readonly #semantics: Semantics;
  readonly #nodes: (readonly StateNumber[])[] = [];
  readonly #numbers = new Map<string, NodeNumber>();
  readonly #next: Map<Event, NodeNumber>[] = [];
  readonly #mostStates: number;
  readonly first: NodeNumber | undefined;

  /** Without a first node if more than so many states are in it. */
  constructor(semantics: Semantics, start: StateNumber, mostStates: number) {
    this.#semantics = semantics;
    this.#mostStates = mostStates;
    this.first = this.#node([start]);
  }

  /** `none`: the specification cannot do that now. `many`: nobody has looked that far. */
  after(node: NodeNumber, event: Event): NodeNumber | 'none' | 'many' {
    const known = this.#next[node]!.get(event);
    if (known !== undefined) return known;
    const targets = this.#nodes[node]!.flatMap((state) =>
      this.#semantics
        .transitions(state)
        .filter((step) => step.event === event)
        .map((step) => step.target),
    );
    if (targets.length === 0) return 'none';
    const next = this.#node(targets);
    if (next === undefined) return 'many';
    this.#next[node]!.set(event, next);
    return next;
  }

  #node(states: readonly StateNumber[]): NodeNumber | undefined {
    const all = new Set(states);
    for (const state of all) {
      if (all.size > this.#mostStates) return undefined;
      for (const step of this.#semantics.transitions(state)) {
        if (step.event === TAU) all.add(step.target);
      }
    }
    const sorted = [...all].sort((a, b) => a - b);
    const key = sorted.join(' ');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#nodes.push(sorted) - 1;
    this.#numbers.set(key, number);
    this.#next.push(new Map());
    return number;
  }
}
