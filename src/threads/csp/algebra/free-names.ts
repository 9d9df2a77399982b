/**
 * Which of the names around it a process uses, so that two states of a process that differ only in what
 * they have forgotten are one state.
 */
import type { Expression, Field, Process, SetExpression } from './script.ts';

const known = new WeakMap<Process, readonly string[]>();

export function freeNames(process: Process): readonly string[] {
  const before = known.get(process);
  if (before !== undefined) return before;
  const names = [...new Set(namesOf(process))].sort();
  known.set(process, names);
  return names;
}

function namesOf(process: Process): readonly string[] {
  switch (process.kind) {
    case 'stop':
    case 'skip':
      return [];
    case 'prefix':
      return [process.head, ...prefixNames(process.fields, freeNames(process.rest))];
    case 'guard': {
      const { left, right } = process.condition;
      return [...expressionNames(left), ...expressionNames(right), ...freeNames(process.rest)];
    }
    case 'choice':
    case 'interleave':
    case 'interrupt':
    case 'sequence':
      return [...freeNames(process.left), ...freeNames(process.right)];
    case 'parallel':
      return [...freeNames(process.left), ...setNames(process.shared), ...freeNames(process.right)];
    case 'hide':
      return [...freeNames(process.process), ...setNames(process.hidden)];
    case 'call':
      return process.arguments.flatMap(expressionNames);
    case 'replicated': {
      const { operator, name, over, body } = process;
      const shared = operator.kind === 'parallel' ? setNames(operator.shared) : [];
      return [...shared, ...setNames(over), ...freeNames(body).filter((one) => one !== name)];
    }
  }
}

/** An input is known to the fields after it, and to what follows. */
function prefixNames(fields: readonly Field[], rest: readonly string[]): readonly string[] {
  const names = new Set(rest);
  for (const field of fields.toReversed()) {
    if (field.kind === 'input') names.delete(field.name);
    const used = field.kind === 'value' ? expressionNames(field.value) : namesOfSet(field.set);
    for (const name of used) names.add(name);
  }
  return [...names];
}

function namesOfSet(set: SetExpression | undefined): readonly string[] {
  return set === undefined ? [] : setNames(set);
}

function setNames(set: SetExpression): readonly string[] {
  switch (set.kind) {
    case 'list':
    case 'closure':
      return set.items.flatMap(expressionNames);
    case 'range':
      return [...expressionNames(set.from), ...expressionNames(set.to)];
    case 'union':
    case 'difference':
      return [...setNames(set.left), ...setNames(set.right)];
    case 'named':
      return [];
  }
}

function expressionNames(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'name':
      return [expression.name];
    case 'number':
      return [];
    case 'sum':
      return [...expressionNames(expression.left), ...expressionNames(expression.right)];
    case 'dotted':
      return expression.parts.flatMap(expressionNames);
  }
}
