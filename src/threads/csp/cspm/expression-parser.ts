/** Values and sets of a CSPm text, and what every part of the parser needs to go through its words. */
import type { Condition, Expression, SetExpression } from '../algebra/script.ts';
import { CspmFault } from './fault.ts';
import type { Token } from './tokens.ts';
import { RESERVED } from './words.ts';

/** Where a part of a script stands in its text. */
export type Places = WeakMap<object, Token>;

export class ExpressionParser {
  readonly places: Places = new WeakMap();
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#tokens[this.#at]!;
  }

  get isSetAhead(): boolean {
    return ['{', '{|', 'union', 'diff', 'Events'].includes(this.next.text);
  }

  /** `n == 0 & P` begins like `n -> P` does: it is tried out. */
  get isConditionAhead(): boolean {
    const start = this.#at;
    try {
      this.expression();
      return this.next.text === '==' || this.next.text === '!=';
    } catch (error) {
      if (error instanceof CspmFault) return false;
      throw error;
    } finally {
      this.#at = start;
    }
  }

  taken(text: string): boolean {
    if (this.next.text !== text || this.next.kind === 'end') return false;
    this.#at++;
    return true;
  }

  expect(text: string): void {
    if (!this.taken(text)) throw this.missing(`'${text}'`);
  }

  name(what: string): string {
    const { kind, text } = this.next;
    if (kind !== 'word' || RESERVED.has(text)) throw this.missing(what);
    this.#at++;
    return text;
  }

  list<Item>(close: string, item: () => Item): Item[] {
    if (this.taken(close)) return [];
    const items = [item()];
    while (this.taken(',')) items.push(item());
    this.expect(close);
    return items;
  }

  condition(): Condition {
    const left = this.expression();
    const relation = this.taken('==') ? '==' : '!=';
    if (relation === '!=') this.expect('!=');
    return { relation, left, right: this.expression() };
  }

  /** A value other than an event, or an event in parentheses. */
  expression(): Expression {
    return this.#sum(this.atom());
  }

  /** `lock.T1.m`, or any other value. */
  dotted(): Expression {
    const first = this.atom();
    if (this.next.text !== '.') return this.#sum(first);
    const parts = [first];
    while (this.taken('.')) parts.push(this.atom());
    return this.noted({ kind: 'dotted', parts });
  }

  #sum(first: Expression): Expression {
    let left = first;
    for (;;) {
      const sign = this.taken('+') ? '+' : this.taken('-') ? '-' : undefined;
      if (sign === undefined) return left;
      left = { kind: 'sum', left, sign, right: this.atom() };
    }
  }

  atom(): Expression {
    return this.noted(() => {
      const { kind, text } = this.next;
      if (kind === 'number') {
        this.#at++;
        return { kind: 'number', value: Number(text) };
      }
      if (this.taken('(')) {
        const expression = this.dotted();
        this.expect(')');
        return expression;
      }
      return { kind: 'name', name: this.name('a value') };
    });
  }

  set(): SetExpression {
    return this.noted(() => {
      if (this.taken('{|')) return { kind: 'closure', items: this.list('|}', () => this.dotted()) };
      if (this.taken('{')) return this.#listed();
      if (this.taken('union')) return { kind: 'union', ...this.#twoSets() };
      if (this.taken('diff')) return { kind: 'difference', ...this.#twoSets() };
      if (this.taken('Events')) return { kind: 'named', name: 'Events' };
      return { kind: 'named', name: this.name('a set') };
    });
  }

  missing(what: string): CspmFault {
    const { kind, text } = this.next;
    const seen = kind === 'end' ? 'the text ends' : `here is '${text}'`;
    return this.fault(`${what} is missing: ${seen}`);
  }

  fault(message: string): CspmFault {
    return new CspmFault(this.next.line, this.next.column, message);
  }

  /** Remembers where it begins; a part in parentheses has the place of what is inside. */
  noted<Part extends object>(part: Part | (() => Part), start: Token = this.next): Part {
    const made = typeof part === 'function' ? part() : part;
    if (!this.places.has(made)) this.places.set(made, start);
    return made;
  }

  #listed(): SetExpression {
    if (this.taken('}')) return { kind: 'list', items: [] };
    const first = this.dotted();
    if (this.taken('..')) {
      const to = this.expression();
      this.expect('}');
      return { kind: 'range', from: first, to };
    }
    if (this.taken('}')) return { kind: 'list', items: [first] };
    this.expect(',');
    return { kind: 'list', items: [first, ...this.list('}', () => this.dotted())] };
  }

  #twoSets(): { left: SetExpression; right: SetExpression } {
    this.expect('(');
    const left = this.set();
    this.expect(',');
    const right = this.set();
    this.expect(')');
    return { left, right };
  }
}
