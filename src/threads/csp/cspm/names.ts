/**
 * Whether every name of a script stands for something, and is used as what it is: processes and channels
 * with as many values as they take, no name twice.
 */
import type { Definition, Expression, Process, Script, SetExpression } from '../algebra/script.ts';
import type { Places } from './expression-parser.ts';
import { CspmFault } from './fault.ts';

export function checkNames(script: Script, places: Places): void {
  const check = new NameCheck(script, places);
  for (const definition of script) check.definition(definition);
}

type Bound = ReadonlySet<string>;

class NameCheck {
  readonly #places: Places;
  readonly #processes = new Map<string, number>();
  readonly #channels = new Map<string, number>();
  readonly #sets = new Set(['Events']);
  readonly #constants = new Set<string>();

  constructor(script: Script, places: Places) {
    this.#places = places;
    const all = new Set<string>();
    for (const definition of script) {
      for (const name of this.#note(definition)) {
        if (all.has(name)) throw this.#fault(definition, `${name} was defined before`);
        all.add(name);
      }
    }
  }

  definition(definition: Definition): void {
    switch (definition.kind) {
      case 'datatype':
        return;
      case 'channel':
        for (const type of definition.types) this.#set(type, new Set());
        return;
      case 'set':
        this.#set(definition.value, new Set());
        return;
      case 'process':
        this.#process(definition.body, new Set(definition.parameters));
        return;
      case 'assert':
        this.#process(definition.specification, new Set());
        this.#process(definition.implementation, new Set());
    }
  }

  #note(definition: Definition): readonly string[] {
    switch (definition.kind) {
      case 'datatype':
        this.#sets.add(definition.name);
        for (const constant of definition.constants) this.#constants.add(constant);
        return [definition.name, ...definition.constants];
      case 'channel':
        for (const name of definition.names) this.#channels.set(name, definition.types.length);
        return definition.names;
      case 'set':
        this.#sets.add(definition.name);
        return [definition.name];
      case 'process':
        this.#processes.set(definition.name, definition.parameters.length);
        return [definition.name];
      case 'assert':
        return [];
    }
  }

  #process(process: Process, bound: Bound): void {
    switch (process.kind) {
      case 'stop':
      case 'skip':
        return;
      case 'prefix':
        this.#prefix(process, bound);
        return;
      case 'guard':
        this.#expression(process.condition.left, bound);
        this.#expression(process.condition.right, bound);
        this.#process(process.rest, bound);
        return;
      case 'choice':
      case 'interleave':
      case 'interrupt':
      case 'sequence':
        this.#process(process.left, bound);
        this.#process(process.right, bound);
        return;
      case 'parallel':
        this.#process(process.left, bound);
        this.#set(process.shared, bound);
        this.#process(process.right, bound);
        return;
      case 'hide':
        this.#process(process.process, bound);
        this.#set(process.hidden, bound);
        return;
      case 'call': {
        const { name, arguments: values } = process;
        const wanted = this.#processes.get(name);
        if (wanted === undefined) throw this.#fault(process, `there is no process ${name}`);
        if (wanted !== values.length) {
          throw this.#fault(process, `${name} takes ${wanted} values, not ${values.length}`);
        }
        for (const value of values) this.#expression(value, bound);
        return;
      }
      case 'replicated': {
        const { operator, name, over, body } = process;
        if (operator.kind === 'parallel') this.#set(operator.shared, bound);
        this.#set(over, bound);
        this.#process(body, new Set(bound).add(name));
      }
    }
  }

  #prefix(process: Extract<Process, { kind: 'prefix' }>, bound: Bound): void {
    const { head, fields, rest } = process;
    const wanted = bound.has(head) ? 0 : this.#channels.get(head);
    if (wanted === undefined) throw this.#fault(process, `there is no channel ${head}`);
    if (wanted !== fields.length) {
      throw this.#fault(process, `events of ${head} have ${wanted} fields, not ${fields.length}`);
    }
    const inside = new Set(bound);
    for (const field of fields) {
      if (field.kind === 'value') {
        this.#expression(field.value, inside);
        continue;
      }
      if (field.set !== undefined) this.#set(field.set, inside);
      inside.add(field.name);
    }
    this.#process(rest, inside);
  }

  #set(set: SetExpression, bound: Bound): void {
    switch (set.kind) {
      case 'list':
      case 'closure':
        for (const item of set.items) this.#expression(item, bound);
        return;
      case 'range':
        this.#expression(set.from, bound);
        this.#expression(set.to, bound);
        return;
      case 'union':
      case 'difference':
        this.#set(set.left, bound);
        this.#set(set.right, bound);
        return;
      case 'named':
        if (!this.#sets.has(set.name)) throw this.#fault(set, `there is no set ${set.name}`);
    }
  }

  #expression(expression: Expression, bound: Bound): void {
    switch (expression.kind) {
      case 'number':
        return;
      case 'sum':
        this.#expression(expression.left, bound);
        this.#expression(expression.right, bound);
        return;
      case 'dotted':
        for (const part of expression.parts) this.#expression(part, bound);
        return;
      case 'name': {
        const { name } = expression;
        if (bound.has(name) || this.#constants.has(name) || this.#channels.has(name)) return;
        throw this.#fault(expression, `nothing is called ${name}`);
      }
    }
  }

  #fault(part: object, message: string): CspmFault {
    const place = this.#places.get(part);
    return new CspmFault(place?.line ?? 1, place?.column ?? 1, message);
  }
}
