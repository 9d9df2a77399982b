/**
 * What a process can do next: the rules of CSP's operational semantics, one function for each operator.
 *
 *   (a -> P [] b -> Q) \ {a}      ──tau──▶  P \ {a}      (its origin is a)
 *                                 ──b────▶  Q \ {a}
 *
 * A hidden event is tau for everybody around, but it is remembered what it was, so that a
 * counterexample can tell what went on inside.
 */
import { type Event, EventNames, TAU, TICK } from './events.ts';
import { CspFault } from './fault.ts';
import { type Environment, Scope, type Value } from './scope.ts';
import type { Process, Script } from './script.ts';
import { type Pair, type State, type StateNumber, States } from './states.ts';

export interface Transition {
  readonly event: Event;
  /** What it was before it was hidden; otherwise the event itself. */
  readonly origin: Event;
  readonly target: StateNumber;
}

type StateOf<Kind> = Extract<State, { kind: Kind }>;

export class Semantics {
  readonly names = new EventNames();
  readonly #scope: Scope;
  readonly #states: States;
  readonly #transitions = new Map<StateNumber, readonly Transition[]>();

  constructor(script: Script) {
    this.#scope = new Scope(script);
    this.#states = new States(this.#scope, (name) => this.names.numberOf(name));
  }

  stateOf(process: Process): StateNumber {
    return this.#states.of(process, new Map());
  }

  transitions(state: StateNumber): readonly Transition[] {
    const known = this.#transitions.get(state);
    if (known !== undefined) return known;
    const found = this.#find(this.#states.at(state));
    this.#transitions.set(state, found);
    return found;
  }

  #find(state: State): readonly Transition[] {
    switch (state.kind) {
      case 'stop':
        return [];
      case 'skip':
        return [{ event: TICK, origin: TICK, target: this.#states.stop() }];
      case 'prefix':
        return this.#prefix(state);
      case 'later':
        return this.transitions(this.#states.of(state.process, state.environment));
      case 'choice':
        return this.#choice(state);
      case 'interrupt':
        return this.#interrupt(state);
      case 'sequence':
        return this.#sequence(state);
      case 'parallel':
        return this.#parallel(state);
      case 'hide':
        return this.#hide(state);
    }
  }

  #prefix({ process, environment }: StateOf<'prefix'>): Transition[] {
    const { head, fields, rest } = process;
    const bound = environment.get(head);
    if (bound !== undefined && fields.length > 0) {
      throw new CspFault(`${head} is an event, and has no fields`);
    }
    if (bound !== undefined) return [this.#step(String(bound), rest, environment)];
    const types = this.#scope.fields(head);
    if (types.length !== fields.length) {
      throw new CspFault(`events of ${head} have ${types.length} fields, not ${fields.length}`);
    }
    let found: { event: string; environment: Environment }[] = [{ event: head, environment }];
    for (const [i, field] of fields.entries()) {
      found = found.flatMap((one) => {
        const values = this.#fieldValues(field, types[i]!, one.environment);
        return values.map((value) => ({
          event: `${one.event}.${value}`,
          environment:
            field.kind === 'input'
              ? new Map(one.environment).set(field.name, value)
              : one.environment,
        }));
      });
    }
    return found.map((one) => this.#step(one.event, rest, one.environment));
  }

  #fieldValues(
    field: Extract<Process, { kind: 'prefix' }>['fields'][number],
    type: readonly Value[],
    environment: Environment,
  ): readonly Value[] {
    if (field.kind === 'input') {
      if (field.set === undefined) return type;
      return this.#scope.set(field.set, environment).filter((value) => type.includes(value));
    }
    const value = this.#scope.value(field.value, environment);
    if (!type.includes(value)) throw new CspFault(`${value} cannot stand in this field`);
    return [value];
  }

  #step(name: string, rest: Process, environment: Environment): Transition {
    const event = this.names.numberOf(name);
    return { event, origin: event, target: this.#states.of(rest, environment) };
  }

  #choice({ left, right }: Pair): Transition[] {
    const states = this.#states;
    return [
      ...this.transitions(left).map((step) =>
        step.event === TAU ? { ...step, target: states.pair('choice', step.target, right) } : step,
      ),
      ...this.transitions(right).map((step) =>
        step.event === TAU ? { ...step, target: states.pair('choice', left, step.target) } : step,
      ),
    ];
  }

  #interrupt({ left, right }: Pair): Transition[] {
    const states = this.#states;
    return [
      ...this.transitions(left).map((step) =>
        step.event === TICK
          ? step
          : { ...step, target: states.pair('interrupt', step.target, right) },
      ),
      ...this.transitions(right).map((step) =>
        step.event === TAU
          ? { ...step, target: states.pair('interrupt', left, step.target) }
          : step,
      ),
    ];
  }

  #sequence({ left, right }: Pair): Transition[] {
    return this.transitions(left).map((step) =>
      step.event === TICK
        ? { event: TAU, origin: TAU, target: right }
        : { ...step, target: this.#states.pair('sequence', step.target, right) },
    );
  }

  /** Both sides take shared events together; it has ended well when both have. */
  #parallel({ left, shared, right }: StateOf<'parallel'>): Transition[] {
    const states = this.#states;
    const found: Transition[] = [];
    const ofRight = this.transitions(right);
    for (const step of this.transitions(left)) {
      if (step.event === TICK) continue;
      if (!shared.has(step.event)) {
        found.push({ ...step, target: states.parallel(step.target, shared, right) });
        continue;
      }
      for (const other of ofRight) {
        if (other.event !== step.event) continue;
        found.push({ ...step, target: states.parallel(step.target, shared, other.target) });
      }
    }
    for (const step of ofRight) {
      if (step.event === TICK || shared.has(step.event)) continue;
      found.push({ ...step, target: states.parallel(left, shared, step.target) });
    }
    if (this.#canTick(left) && this.#canTick(right)) {
      found.push({ event: TICK, origin: TICK, target: states.stop() });
    }
    return found;
  }

  #canTick(state: StateNumber): boolean {
    return this.transitions(state).some(({ event }) => event === TICK);
  }

  #hide({ inner, hidden }: StateOf<'hide'>): Transition[] {
    return this.transitions(inner).map((step) => ({
      event: hidden.has(step.event) ? TAU : step.event,
      origin: step.origin,
      target: this.#states.hide(step.target, hidden),
    }));
  }
}
