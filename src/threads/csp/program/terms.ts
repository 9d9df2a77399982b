/** Short ways to put scripts together: `prefix('lock', [name('T1'), name('L2')], stop)`. */
import type {
  BinaryKind,
  Definition,
  Expression,
  Field,
  Process,
  SetExpression,
} from '../algebra/script.ts';

export const stop: Process = { kind: 'stop' };

export function name(text: string): Expression {
  return { kind: 'name', name: text };
}

export function number(value: number): Expression {
  return { kind: 'number', value };
}

export function event(channel: string, fields: readonly Expression[]): Expression {
  if (fields.length === 0) return name(channel);
  return { kind: 'dotted', parts: [name(channel), ...fields] };
}

export function prefix(head: string, fields: readonly Expression[], rest: Process): Process {
  return { kind: 'prefix', head, fields: fields.map(value), rest };
}

function value(expression: Expression): Field {
  return { kind: 'value', value: expression };
}

export function call(process: string, ...values: readonly Expression[]): Process {
  return { kind: 'call', name: process, arguments: values };
}

/** P [] Q [] …, or P ||| Q ||| …; there must be one. */
export function joined(
  kind: Extract<BinaryKind, 'choice' | 'interleave'>,
  processes: readonly Process[],
): Process {
  return processes.reduce((left, right) => ({ kind, left, right }));
}

export function list(items: readonly Expression[]): SetExpression {
  return { kind: 'list', items };
}

export function named(set: string): SetExpression {
  return { kind: 'named', name: set };
}

export function define(process: string, body: Process): Definition {
  return { kind: 'process', name: process, parameters: [], body };
}
