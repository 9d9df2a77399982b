/**
 * Whether an implementation does nothing that its specification does not allow: `S [T= I`, all traces of
 * I are traces of S. Both are gone through together, breadth first, so that a counterexample is one with
 * the fewest steps.
 *
 *   STOP [T= (a -> race -> STOP) \ {a}      fails by the trace <race>; its steps were a, race
 */
import { type Event, TAU } from './events.ts';
import { type NodeNumber, NormalForm } from './normal-form.ts';
import type { Process } from './script.ts';
import type { Semantics } from './semantics.ts';
import type { StateNumber } from './states.ts';

export type RefinementResult =
  | { readonly kind: 'holds'; readonly states: number }
  | {
      readonly kind: 'fails';
      readonly states: number;
      /** What is seen of it; only the last event is not allowed. */
      readonly trace: readonly string[];
      /** All of it, with the events that are hidden. */
      readonly steps: readonly string[];
    }
  | { readonly kind: 'undecided'; readonly states: number };

interface Visit {
  readonly node: NodeNumber;
  readonly state: StateNumber;
  readonly from: Visit | undefined;
  readonly event: Event;
  readonly origin: Event;
}

export function refines(
  semantics: Semantics,
  specification: Process,
  implementation: Process,
  mostStates: number,
): RefinementResult {
  const allowed = new NormalForm(semantics, semantics.stateOf(specification), mostStates);
  if (allowed.first === undefined) return { kind: 'undecided', states: mostStates };
  const state = semantics.stateOf(implementation);
  const first: Visit = { node: allowed.first, state, from: undefined, event: TAU, origin: TAU };
  const queue = [first];
  const seen = new Set([keyOf(first)]);
  for (const visit of queue) {
    for (const { event, origin, target } of semantics.transitions(visit.state)) {
      const node = event === TAU ? visit.node : allowed.after(visit.node, event);
      if (node === 'many') return { kind: 'undecided', states: seen.size };
      if (node === 'none') {
        const path = pathTo(visit);
        const events = [...path.map((step) => step.event), event].filter((one) => one !== TAU);
        const origins = [...path.map((step) => step.origin), origin].filter((one) => one !== TAU);
        const nameOf = (one: Event): string => semantics.names.nameOf(one);
        const names = { trace: events.map(nameOf), steps: origins.map(nameOf) };
        return { kind: 'fails', states: seen.size, ...names };
      }
      const next = { node, state: target, from: visit, event, origin };
      const key = keyOf(next);
      if (seen.has(key)) continue;
      if (seen.size >= mostStates) return { kind: 'undecided', states: seen.size };
      seen.add(key);
      queue.push(next);
    }
  }
  return { kind: 'holds', states: seen.size };
}

/** Both numbers in one: there are far fewer of each than 2^26. */
function keyOf({ node, state }: Visit): number {
  return node * 2 ** 26 + state;
}

function pathTo(visit: Visit): Visit[] {
  const path: Visit[] = [];
  for (let at = visit; at.from !== undefined; at = at.from) path.push(at);
  return path.reverse();
}
