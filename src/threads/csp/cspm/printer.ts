/**
 * A script as CSPm text. With `parser.ts` it gives back the same script.
 *
 *   MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)
 *
 * After an input a value is written `!i`: in CSPm, `?t.i` would take in both.
 */
import type {
  Condition,
  Definition,
  Expression,
  Field,
  Process,
  Script,
  SetExpression,
} from '../algebra/script.ts';
import { BETWEEN, Strength } from './words.ts';

export function printCspm(script: Script): string {
  return script.map((definition) => `${printDefinition(definition)}\n`).join('');
}

function printDefinition(definition: Definition): string {
  switch (definition.kind) {
    case 'datatype':
      return `datatype ${definition.name} = ${definition.constants.join(' | ')}`;
    case 'channel': {
      const types = definition.types.map(printSet).join('.');
      return `channel ${definition.names.join(', ')}${types === '' ? '' : ` : ${types}`}`;
    }
    case 'set':
      return `${definition.name} = ${printSet(definition.value)}`;
    case 'process': {
      const parameters = inParentheses(definition.parameters);
      return `${definition.name}${parameters} = ${printProcess(definition.body)}`;
    }
    case 'assert': {
      const specification = printProcess(definition.specification, Strength.atom);
      return `assert ${specification} [T= ${printProcess(definition.implementation)}`;
    }
  }
}

/** In parentheses if it binds less strongly than is wanted. */
export function printProcess(process: Process, wanted: number = Strength.replicated): string {
  if (strengthOf(process) < wanted) return `(${printProcess(process)})`;
  switch (process.kind) {
    case 'stop':
      return 'STOP';
    case 'skip':
      return 'SKIP';
    case 'prefix':
      return `${process.head}${printFields(process.fields)} -> ${printProcess(process.rest, Strength.prefix)}`;
    case 'guard':
      return `${printCondition(process.condition)} & ${printProcess(process.rest, Strength.prefix)}`;
    case 'interleave':
    case 'choice':
    case 'interrupt':
    case 'sequence': {
      const strength = Strength[process.kind];
      const left = printProcess(process.left, strength);
      return `${left} ${BETWEEN[process.kind]} ${printProcess(process.right, strength + 1)}`;
    }
    case 'parallel': {
      const left = printProcess(process.left, Strength.parallel + 1);
      const right = printProcess(process.right, Strength.parallel + 1);
      return `${left} [| ${printSet(process.shared)} |] ${right}`;
    }
    case 'hide':
      return `${printProcess(process.process, Strength.hide)} \\ ${printSet(process.hidden)}`;
    case 'call':
      return `${process.name}${inParentheses(process.arguments.map(printExpression))}`;
    case 'replicated': {
      const { operator, name, over, body } = process;
      const sign =
        operator.kind === 'parallel'
          ? `[| ${printSet(operator.shared)} |]`
          : BETWEEN[operator.kind];
      return `${sign} ${name} : ${printSet(over)} @ ${printProcess(body)}`;
    }
  }
}

function strengthOf(process: Process): number {
  switch (process.kind) {
    case 'guard':
    case 'prefix':
      return Strength.prefix;
    case 'stop':
    case 'skip':
    case 'call':
      return Strength.atom;
    case 'replicated':
      return Strength.replicated;
    case 'interleave':
    case 'choice':
    case 'interrupt':
    case 'sequence':
    case 'parallel':
    case 'hide':
      return Strength[process.kind];
  }
}

function printFields(fields: readonly Field[]): string {
  let afterInput = false;
  let text = '';
  for (const field of fields) {
    if (field.kind === 'input') {
      text += `?${field.name}${field.set === undefined ? '' : `:${printSet(field.set)}`}`;
      afterInput = true;
    } else {
      text += `${afterInput ? '!' : '.'}${printAtom(field.value)}`;
    }
  }
  return text;
}

function printCondition({ relation, left, right }: Condition): string {
  return `${printSum(left)} ${relation} ${printSum(right)}`;
}

export function printSet(set: SetExpression): string {
  switch (set.kind) {
    case 'list':
      return `{${set.items.map(printExpression).join(', ')}}`;
    case 'closure':
      return `{| ${set.items.map(printExpression).join(', ')} |}`;
    case 'range':
      return `{${printSum(set.from)}..${printSum(set.to)}}`;
    case 'union':
      return `union(${printSet(set.left)}, ${printSet(set.right)})`;
    case 'difference':
      return `diff(${printSet(set.left)}, ${printSet(set.right)})`;
    case 'named':
      return set.name;
  }
}

function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'name':
      return expression.name;
    case 'number':
      return String(expression.value);
    case 'sum':
      return `${printSum(expression.left)} ${expression.sign} ${printAtom(expression.right)}`;
    case 'dotted':
      return expression.parts.map(printAtom).join('.');
  }
}

/** Where a dot would be something else. */
function printSum(expression: Expression): string {
  return expression.kind === 'dotted' ? printAtom(expression) : printExpression(expression);
}

function printAtom(expression: Expression): string {
  const isAtom = expression.kind === 'name' || expression.kind === 'number';
  return isAtom ? printExpression(expression) : `(${printExpression(expression)})`;
}

function inParentheses(items: readonly string[]): string {
  return items.length === 0 ? '' : `(${items.join(', ')})`;
}
