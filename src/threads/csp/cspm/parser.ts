/**
 * Reads the part of CSPm that `algebra/script.ts` describes, with FDR's rules for what binds how strongly.
 * The first mistake ends it, with its line and column:
 *
 *   3:24  '|]' is missing: here is 'P'
 *
 * It is a mistake too if a name stands for nothing, or takes another number of values (names.ts).
 */

import { err, ok, type Result } from '../../../base/result.ts';
import type {
  BinaryKind,
  Definition,
  Field,
  Process,
  ReplicatedOperator,
  Script,
  SetExpression,
} from '../algebra/script.ts';
import { ExpressionParser } from './expression-parser.ts';
import { CspmFault } from './fault.ts';
import { checkNames } from './names.ts';
import { tokensOf } from './tokens.ts';
import { BETWEEN } from './words.ts';

export function parseCspm(text: string): Result<Script, CspmFault> {
  try {
    const parser = new ScriptParser(tokensOf(text));
    const script = parser.script();
    checkNames(script, parser.places);
    return ok(script);
  } catch (error) {
    if (error instanceof CspmFault) return err(error);
    throw error;
  }
}

class ScriptParser extends ExpressionParser {
  script(): Script {
    const definitions: Definition[] = [];
    while (this.next.kind !== 'end') definitions.push(this.noted(() => this.#definition()));
    return definitions;
  }

  #definition(): Definition {
    if (this.taken('datatype')) return this.#datatype();
    if (this.taken('channel')) return this.#channel();
    if (this.taken('assert')) {
      const specification = this.#process();
      this.expect('[T=');
      return { kind: 'assert', specification, implementation: this.#process() };
    }
    const name = this.name('a definition');
    const parameters = this.taken('(') ? this.list(')', () => this.name('a parameter')) : [];
    this.expect('=');
    if (parameters.length === 0 && this.isSetAhead) return { kind: 'set', name, value: this.set() };
    return { kind: 'process', name, parameters, body: this.#process() };
  }

  #datatype(): Definition {
    const name = this.name('the name of a datatype');
    this.expect('=');
    const constants = [this.name('a constant')];
    while (this.taken('|')) constants.push(this.name('a constant'));
    return { kind: 'datatype', name, constants };
  }

  #channel(): Definition {
    const names = [this.name('the name of a channel')];
    while (this.taken(',')) names.push(this.name('the name of a channel'));
    const types: SetExpression[] = [];
    if (this.taken(':')) {
      do types.push(this.set());
      while (this.taken('.'));
    }
    return { kind: 'channel', names, types };
  }

  #process(): Process {
    const start = this.next;
    let process = this.#interleaved();
    while (this.taken('\\'))
      process = this.noted({ kind: 'hide', process, hidden: this.set() }, start);
    return process;
  }

  #interleaved(): Process {
    return this.#between('interleave', () => this.#parallel());
  }

  #parallel(): Process {
    const left = this.#choice();
    if (!this.taken('[|')) return left;
    const shared = this.set();
    this.expect('|]');
    const right = this.#choice();
    if (this.next.text === '[|') throw this.fault("parentheses are missing: here is a second '[|'");
    return { kind: 'parallel', left, shared, right };
  }

  #choice(): Process {
    return this.#between('choice', () =>
      this.#between('interrupt', () => this.#between('sequence', () => this.#prefix())),
    );
  }

  #between(kind: BinaryKind, part: () => Process): Process {
    let left = part();
    while (this.taken(BETWEEN[kind])) left = { kind, left, right: part() };
    return left;
  }

  #prefix(): Process {
    if (this.isConditionAhead) {
      const condition = this.condition();
      this.expect('&');
      return { kind: 'guard', condition, rest: this.#prefix() };
    }
    const operator = this.#replicatedOperator();
    if (operator !== undefined) return this.#replicated(operator);
    if (this.taken('(')) {
      const process = this.#process();
      this.expect(')');
      return process;
    }
    if (this.taken('STOP')) return { kind: 'stop' };
    if (this.taken('SKIP')) return { kind: 'skip' };
    return this.noted(() => this.#named());
  }

  #replicatedOperator(): ReplicatedOperator | undefined {
    if (this.taken('[]')) return { kind: 'choice' };
    if (this.taken('|||')) return { kind: 'interleave' };
    if (!this.taken('[|')) return undefined;
    const shared = this.set();
    this.expect('|]');
    return { kind: 'parallel', shared };
  }

  #replicated(operator: ReplicatedOperator): Process {
    const name = this.name('a name');
    this.expect(':');
    const over = this.set();
    this.expect('@');
    return { kind: 'replicated', operator, name, over, body: this.#process() };
  }

  /** `lock?t!i -> P`, or the call `P(1)`. */
  #named(): Process {
    const head = this.name('a process');
    if (this.taken('(')) {
      return { kind: 'call', name: head, arguments: this.list(')', () => this.dotted()) };
    }
    const fields = this.#fields();
    if (fields.length > 0) this.expect('->');
    else if (!this.taken('->')) return { kind: 'call', name: head, arguments: [] };
    return { kind: 'prefix', head, fields, rest: this.#prefix() };
  }

  #fields(): Field[] {
    const fields: Field[] = [];
    for (;;) {
      const last = fields.at(-1);
      if (this.next.text === '.' && last?.kind === 'input') {
        throw this.fault(`'!' is missing: '?${last.name}.' would take in what follows too`);
      }
      if (this.taken('.') || this.taken('!')) {
        fields.push({ kind: 'value', value: this.atom() });
      } else if (this.taken('?')) {
        const name = this.name('a name for what comes in');
        fields.push({ kind: 'input', name, set: this.taken(':') ? this.set() : undefined });
      } else {
        return fields;
      }
    }
  }
}
