/** A unit with what belongs to it, read when it is asked for. Damage costs this part of this unit only. */
import { UnitFunctions } from './functions.ts';
import { type LineTable, readLineTable } from './line-table.ts';
import { Attribute } from './numbers.ts';
import type { Problems } from './problems.ts';
import type { Unit } from './unit.ts';

export class CompilationUnit {
  readonly unit: Unit;
  readonly #problems: Problems;
  #lines: LineTable | 'none' | undefined;
  #functions: UnitFunctions | 'none' | undefined;

  constructor(unit: Unit, problems: Problems) {
    this.unit = unit;
    this.#problems = problems;
  }

  get lines(): LineTable | undefined {
    this.#lines ??= this.#problems.guard(() => this.#readLines()) ?? 'none';
    return this.#lines === 'none' ? undefined : this.#lines;
  }

  get functions(): UnitFunctions | undefined {
    this.#functions ??= this.#problems.guard(() => new UnitFunctions(this.unit)) ?? 'none';
    return this.#functions === 'none' ? undefined : this.#functions;
  }

  #readLines(): LineTable | undefined {
    const { root, sections } = this.unit;
    const at = root.sectionOffset(Attribute.stmtList);
    if (at === undefined) return undefined;
    return readLineTable(sections, at, root.text(Attribute.compDir));
  }
}
