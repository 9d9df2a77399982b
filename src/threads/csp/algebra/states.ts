/**
 * The states of processes, each kept once: a state is a process whose names have values, or what is left
 * of one after some events.
 *
 *   MUTEX(m) = lock?t!m -> unlock.t.m -> MUTEX(m)
 *
 *   #0  lock?t!i -> …  with i = m                    by lock.T1.m
 *   #1  unlock.t.i -> …  with i = m, t = T1          by unlock.T1.m, back to #0
 *
 * A state that is put together from others names these by number, so that what goes on inside one part
 * of a large system is worked out once for all states of the rest.
 */
import type { Event } from './events.ts';
import { CspFault } from './fault.ts';
import { freeNames } from './free-names.ts';
import type { Environment, Scope, Value } from './scope.ts';
import type { Process, SetExpression } from './script.ts';

export type StateNumber = number;

type Prefix = Extract<Process, { kind: 'prefix' }>;
export type Pair = { readonly left: StateNumber; readonly right: StateNumber };

interface EventSet {
  readonly number: number;
  readonly events: ReadonlySet<Event>;
}

export type State =
  | { readonly kind: 'stop' | 'skip' }
  | { readonly kind: 'prefix'; readonly process: Prefix; readonly environment: Environment }
  /** Not looked into before it is its turn: what comes after `;`. */
  | { readonly kind: 'later'; readonly process: Process; readonly environment: Environment }
  | ({ readonly kind: 'choice' | 'interrupt' | 'sequence' } & Pair)
  | ({ readonly kind: 'parallel'; readonly shared: ReadonlySet<Event> } & Pair)
  | { readonly kind: 'hide'; readonly inner: StateNumber; readonly hidden: ReadonlySet<Event> };

export class States {
  readonly #scope: Scope;
  readonly #numberOfEvent: (name: string) => Event;
  readonly #states: State[] = [];
  readonly #numbers = new Map<string, StateNumber>();
  readonly #processNumbers = new Map<Process, number>();
  readonly #eventSets = new Map<string, EventSet>();
  readonly #entries = new WeakMap<ReadonlySet<Event>, EventSet>();
  /** Calls whose bodies are being looked at. */
  readonly #open = new Set<string>();

  constructor(scope: Scope, numberOfEvent: (name: string) => Event) {
    this.#scope = scope;
    this.#numberOfEvent = numberOfEvent;
  }

  at(number: StateNumber): State {
    return this.#states[number]!;
  }

  of(process: Process, environment: Environment): StateNumber {
    switch (process.kind) {
      case 'stop':
        return this.stop();
      case 'skip':
        return this.#keep('skip', { kind: 'skip' });
      case 'prefix': {
        const { key, used } = this.#restrict(process, environment);
        return this.#keep(`prefix ${key}`, { kind: 'prefix', process, environment: used });
      }
      case 'guard':
        return this.#scope.holds(process.condition, environment)
          ? this.of(process.rest, environment)
          : this.stop();
      case 'choice':
      case 'interrupt': {
        const left = this.of(process.left, environment);
        return this.pair(process.kind, left, this.of(process.right, environment));
      }
      case 'sequence':
        return this.pair(
          'sequence',
          this.of(process.left, environment),
          this.#later(process.right, environment),
        );
      case 'interleave': {
        const left = this.of(process.left, environment);
        return this.parallel(left, new Set(), this.of(process.right, environment));
      }
      case 'parallel': {
        const left = this.of(process.left, environment);
        const shared = this.#events(process.shared, environment);
        return this.parallel(left, shared, this.of(process.right, environment));
      }
      case 'hide': {
        const inner = this.of(process.process, environment);
        return this.hide(inner, this.#events(process.hidden, environment));
      }
      case 'call':
        return this.#call(process, environment);
      case 'replicated':
        return this.#replicated(process, environment);
    }
  }

  stop(): StateNumber {
    return this.#keep('stop', { kind: 'stop' });
  }

  pair(
    kind: 'choice' | 'interrupt' | 'sequence',
    left: StateNumber,
    right: StateNumber,
  ): StateNumber {
    return this.#keep(`${kind} ${left} ${right}`, { kind, left, right });
  }

  parallel(left: StateNumber, shared: ReadonlySet<Event>, right: StateNumber): StateNumber {
    const { number, events } = this.#eventSet(shared);
    const state: State = { kind: 'parallel', left, shared: events, right };
    return this.#keep(`parallel ${left} ${number} ${right}`, state);
  }

  hide(inner: StateNumber, hidden: ReadonlySet<Event>): StateNumber {
    const { number, events } = this.#eventSet(hidden);
    return this.#keep(`hide ${inner} ${number}`, { kind: 'hide', inner, hidden: events });
  }

  #later(process: Process, environment: Environment): StateNumber {
    const { key, used } = this.#restrict(process, environment);
    return this.#keep(`later ${key}`, { kind: 'later', process, environment: used });
  }

  #call(process: Extract<Process, { kind: 'call' }>, environment: Environment): StateNumber {
    const { name } = process;
    const { parameters, body } = this.#scope.process(name);
    if (parameters.length !== process.arguments.length) {
      throw new CspFault(`${name} takes ${parameters.length} values`);
    }
    const values = process.arguments.map((one) => this.#scope.value(one, environment));
    const key = `call ${name} ${values.join(' ')}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(key)) throw new CspFault(`${name} calls itself before any event`);
    this.#open.add(key);
    const state = this.of(body, new Map(parameters.map((one, i) => [one, values[i]!])));
    this.#open.delete(key);
    this.#numbers.set(key, state);
    return state;
  }

  #replicated(
    { operator, name, over, body }: Extract<Process, { kind: 'replicated' }>,
    environment: Environment,
  ): StateNumber {
    const parts = this.#scope
      .set(over, environment)
      .map((value) => this.of(body, new Map(environment).set(name, value)));
    const [first, ...others] = parts;
    if (operator.kind === 'choice') {
      if (first === undefined) return this.stop();
      return others.reduce((all, part) => this.pair('choice', all, part), first);
    }
    if (first === undefined) return this.#keep('skip', { kind: 'skip' });
    const shared =
      operator.kind === 'parallel' ? this.#events(operator.shared, environment) : new Set<Event>();
    return others.reduce((all, part) => this.parallel(all, shared, part), first);
  }

  #events(set: SetExpression, environment: Environment): ReadonlySet<Event> {
    const names = this.#scope.set(set, environment);
    return new Set(names.map((name) => this.#numberOfEvent(String(name))));
  }

  /** One object for all equal sets. */
  #eventSet(events: ReadonlySet<Event>): EventSet {
    const before = this.#entries.get(events);
    if (before !== undefined) return before;
    const key = [...events].sort((a, b) => a - b).join(' ');
    const entry = this.#eventSets.get(key) ?? { number: this.#eventSets.size, events };
    this.#eventSets.set(key, entry);
    this.#entries.set(events, entry);
    return entry;
  }

  #restrict(process: Process, environment: Environment): { key: string; used: Environment } {
    let number = this.#processNumbers.get(process);
    if (number === undefined) {
      number = this.#processNumbers.size;
      this.#processNumbers.set(process, number);
    }
    const used = new Map<string, Value>();
    for (const name of freeNames(process)) {
      const value = environment.get(name);
      if (value !== undefined) used.set(name, value);
    }
    const values = [...used].map(([name, value]) => `${name}=${typeof value} ${value}`);
    return { key: `${number} ${values.join(' ')}`, used };
  }

  #keep(key: string, state: State): StateNumber {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#states.push(state) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
