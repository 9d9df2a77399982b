/**
 * The name of a function, a variable or a type, with what it is declared in:
 *
 *   jobs::Queue::push                  a method, whose definition refers to the declaration in its class
 *   (anonymous namespace)::helper
 *   next_id::counter                   a static variable of the function next_id
 *
 * Names are as in the source, without parameters; nothing is demangled. An entry without a name of its own
 * refers to the one that has it: DW_AT_abstract_origin from a copy of a function to what was written,
 * DW_AT_specification from a definition to the declaration.
 */
import type { Entry } from './entry.ts';
import { EntryCursor } from './entry-cursor.ts';
import { Attribute, Tag } from './numbers.ts';
import type { Unit } from './unit.ts';
import type { Units } from './units.ts';

/** Compilers need three; more is a loop. */
const MOST_REFERENCES = 16;
const DEEPEST_NESTING = 100;

/** What has a name that belongs to the names of what is inside; and the kinds that names are asked of. */
const SCOPES: ReadonlySet<number> = new Set([
  Tag.namespace,
  Tag.module,
  Tag.structureType,
  Tag.classType,
  Tag.unionType,
  Tag.interfaceType,
  Tag.enumerationType,
  Tag.subprogram,
]);
const NAMED: ReadonlySet<number> = new Set([...SCOPES, Tag.variable, Tag.member]);

export class EntryNames {
  readonly #units: Units;
  readonly #names = new Map<number, string | undefined>();
  readonly #enclosing = new Map<Unit, Map<number, number>>();

  constructor(units: Units) {
    this.#units = units;
  }

  /** Undefined if it has none, or if the name is in a file that is not read. */
  nameOf(entry: Entry): string | undefined {
    if (!this.#names.has(entry.offset)) this.#names.set(entry.offset, this.#qualified(entry));
    return this.#names.get(entry.offset);
  }

  #qualified(entry: Entry): string | undefined {
    const chain = this.origins(entry);
    const name = firstOf(chain, (one) => one.text(Attribute.name));
    if (name === undefined) return undefined;
    const parts = [name];
    let inner = chain.at(-1)!;
    for (let depth = 0; depth < DEEPEST_NESTING; depth++) {
      const scope = this.#scopeOf(inner);
      if (!scope) break;
      const scopes = this.origins(scope);
      const outer = firstOf(scopes, (one) => one.text(Attribute.name));
      if (outer !== undefined) parts.unshift(outer);
      else if (scope.tag === Tag.namespace) parts.unshift('(anonymous namespace)');
      inner = scopes.at(-1)!;
    }
    return parts.join('::');
  }

  /** The entry, what it is a copy or the definition of, what that is a copy of, and so on. */
  origins(entry: Entry): Entry[] {
    const chain = [entry];
    while (chain.length < MOST_REFERENCES) {
      const last = chain.at(-1)!;
      const origin =
        last.reference(Attribute.abstractOrigin) ?? last.reference(Attribute.specification);
      const next = origin === undefined ? undefined : this.#units.entryAt(origin);
      if (!next) break;
      chain.push(next);
    }
    return chain;
  }

  #scopeOf(entry: Entry): Entry | undefined {
    let enclosing = this.#enclosing.get(entry.unit);
    if (!enclosing) {
      enclosing = enclosingScopes(entry.unit);
      this.#enclosing.set(entry.unit, enclosing);
    }
    const scope = enclosing.get(entry.offset);
    return scope === undefined ? undefined : entry.unit.entryAt(scope);
  }
}

/** The first that has something to say. */
export function firstOf<T>(
  entries: readonly Entry[],
  ask: (entry: Entry) => T | undefined,
): T | undefined {
  for (const entry of entries) {
    const answer = ask(entry);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** For each entry that may be asked for its name: the innermost scope around it, by offset. */
function enclosingScopes(unit: Unit): Map<number, number> {
  const enclosing = new Map<number, number>();
  /** The innermost scope at each depth, 0 for none. */
  const scopes: number[] = [];
  const cursor = new EntryCursor(unit);
  while (cursor.next()) {
    const around = cursor.depth === 0 ? 0 : scopes[cursor.depth - 1]!;
    if (around !== 0 && NAMED.has(cursor.tag)) enclosing.set(cursor.offset, around);
    scopes[cursor.depth] = SCOPES.has(cursor.tag) ? cursor.offset : around;
  }
  return enclosing;
}
