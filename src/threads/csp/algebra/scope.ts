/**
 * What the names of a script stand for, and with that the values of its expressions and sets.
 *
 *   channel post : Thread.{0..2}      fields of `post`: [T1, T2], [0, 1, 2]
 *   {| post.T1 |}                     post.T1.0  post.T1.1  post.T1.2
 *
 * Values are numbers and texts; an event is a text, with its channel in front.
 */

import { CspFault } from './fault.ts';
import type { Condition, Expression, Process, Script, SetExpression } from './script.ts';

export type Value = number | string;
export type Environment = ReadonlyMap<string, Value>;

export interface ProcessDefinition {
  readonly parameters: readonly string[];
  readonly body: Process;
}

export class Scope {
  readonly #constants = new Set<string>();
  readonly #sets = new Map<string, SetExpression>();
  readonly #channels = new Map<string, readonly SetExpression[]>();
  readonly #fields = new Map<string, readonly (readonly Value[])[]>();
  readonly #processes = new Map<string, ProcessDefinition>();

  constructor(script: Script) {
    for (const definition of script) {
      if (definition.kind === 'datatype') {
        const items = definition.constants.map((name) => ({ kind: 'name', name }) as const);
        this.#sets.set(definition.name, { kind: 'list', items });
        for (const constant of definition.constants) this.#constants.add(constant);
      } else if (definition.kind === 'channel') {
        for (const name of definition.names) this.#channels.set(name, definition.types);
      } else if (definition.kind === 'set') {
        this.#sets.set(definition.name, definition.value);
      } else if (definition.kind === 'process') {
        this.#processes.set(definition.name, definition);
      }
    }
  }

  process(name: string): ProcessDefinition {
    const found = this.#processes.get(name);
    if (found === undefined) throw new CspFault(`there is no process ${name}`);
    return found;
  }

  /** What can stand in each field of a channel's events. */
  fields(channel: string): readonly (readonly Value[])[] {
    const known = this.#fields.get(channel);
    if (known !== undefined) return known;
    const types = this.#channels.get(channel);
    if (types === undefined) throw new CspFault(`there is no channel ${channel}`);
    const fields = types.map((type) => this.set(type, new Map()));
    this.#fields.set(channel, fields);
    return fields;
  }

  value(expression: Expression, environment: Environment): Value {
    switch (expression.kind) {
      case 'number':
        return expression.value;
      case 'name': {
        const { name } = expression;
        const bound = environment.get(name);
        if (bound !== undefined) return bound;
        if (this.#constants.has(name) || this.#channels.has(name)) return name;
        throw new CspFault(`nothing is called ${name}`);
      }
      case 'sum': {
        const left = this.#number(expression.left, environment);
        const right = this.#number(expression.right, environment);
        return expression.sign === '+' ? left + right : left - right;
      }
      case 'dotted':
        return expression.parts.map((part) => this.value(part, environment)).join('.');
    }
  }

  set(expression: SetExpression, environment: Environment): readonly Value[] {
    switch (expression.kind) {
      case 'list':
        return [...new Set(expression.items.map((item) => this.value(item, environment)))];
      case 'range': {
        const from = this.#number(expression.from, environment);
        const to = this.#number(expression.to, environment);
        return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
      }
      case 'closure':
        return expression.items.flatMap((item) => this.#eventsOf(item, environment));
      case 'union': {
        const left = this.set(expression.left, environment);
        return [...new Set([...left, ...this.set(expression.right, environment)])];
      }
      case 'difference': {
        const right = new Set(this.set(expression.right, environment));
        return this.set(expression.left, environment).filter((value) => !right.has(value));
      }
      case 'named':
        return this.#named(expression.name);
    }
  }

  holds({ relation, left, right }: Condition, environment: Environment): boolean {
    const areEqual = this.value(left, environment) === this.value(right, environment);
    return areEqual === (relation === '==');
  }

  #number(expression: Expression, environment: Environment): number {
    const value = this.value(expression, environment);
    if (typeof value !== 'number') throw new CspFault(`${value} is not a number`);
    return value;
  }

  #named(name: string): readonly Value[] {
    if (name === 'Events')
      return [...this.#channels.keys()].flatMap((one) => this.#complete(one, 0));
    const found = this.#sets.get(name);
    if (found === undefined) throw new CspFault(`there is no set ${name}`);
    return this.set(found, new Map());
  }

  #eventsOf(item: Expression, environment: Environment): readonly Value[] {
    const beginning = String(this.value(item, environment));
    const [channel, ...given] = beginning.split('.');
    const fields = this.fields(channel!);
    if (given.length > fields.length) throw new CspFault(`${beginning} has too many fields`);
    return this.#complete(beginning, given.length);
  }

  /** All events that begin so, where the first fields are given. */
  #complete(beginning: string, given: number): string[] {
    const [channel] = beginning.split('.');
    return this.fields(channel!)
      .slice(given)
      .reduce<string[]>(
        (all, values) => all.flatMap((event) => values.map((value) => `${event}.${value}`)),
        [beginning],
      );
  }
}
