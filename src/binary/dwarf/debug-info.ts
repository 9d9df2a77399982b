/**
 * What the debug information of an executable or a library says about its addresses.
 *
 *   const info = new DebugInfo(debugSections(elf));
 *   info.lineAt(address)      // { file: '/home/me/queue.c', line: 12, column: 7 }
 *   info.framesAt(address)    // [{ function: 'lock', … line: 3 }, { function: 'pop', … line: 12 }]
 *   info.dataAt(address)      // { text: 'queue.head', isAtomic: true, … }
 *   info.problems             // ['2 of 40 units have their debug information in .dwo files …']
 *
 * DWARF 2 to 5. Everything is read when it is asked for: a line costs the line table of one unit, frames
 * its entries, variables those of all units. Damage never throws: what cannot be read is as if it were
 * not there, and told in `problems`.
 *
 * Not read: split DWARF (.dwo, .dwp: lines are known, functions and variables are not), type units of DWARF
 * 4 (.debug_types), the supplementary files of `dwz` (names that are there are undefined).
 */
import type { ImageAddress } from '../image-address.ts';
import { AddressIndex } from './address-index.ts';
import type { AddressRange } from './addresses.ts';
import { codeUnits } from './code-units.ts';
import type { CompilationUnit } from './compilation-unit.ts';
import { EntryNames } from './entry-names.ts';
import { framesIn, type SourceFrame } from './frames.ts';
import type { SourceLine } from './line-table.ts';
import { LinesAlone } from './lines-alone.ts';
import { Problems } from './problems.ts';
import { type DataPlace, type DebugVariable, ProgramData } from './program-data.ts';
import type { DebugSections } from './sections.ts';
import { Units } from './units.ts';

export interface DebugFunction {
  readonly name: string | undefined;
  /** One, or several if the compiler moved unlikely parts away. */
  readonly ranges: readonly AddressRange[];
}

export class DebugInfo {
  readonly #sections: DebugSections;
  readonly #problems = new Problems();
  readonly #units: Units;
  readonly #names: EntryNames;
  readonly #codeUnits: readonly CompilationUnit[];
  #index: AddressIndex | undefined;
  #linesAlone: LinesAlone | undefined;
  #data: ProgramData | undefined;

  constructor(sections: DebugSections) {
    this.#sections = sections;
    this.#units = new Units(sections);
    this.#names = new EntryNames(this.#units);
    this.#codeUnits = codeUnits(this.#units, this.#problems);
  }

  /** What could not be read of all that was asked for until now. */
  get problems(): readonly string[] {
    return this.#problems.list;
  }

  lineAt(address: ImageAddress): SourceLine | undefined {
    if (this.#codeUnits.length > 0) return this.#unitAt(address)?.lines?.find(address);
    this.#linesAlone ??= new LinesAlone(this.#sections, this.#problems);
    return this.#linesAlone.find(address);
  }

  /** Innermost first; empty if nothing at all is known. */
  framesAt(address: ImageAddress): readonly SourceFrame[] {
    const unit = this.#unitAt(address);
    if (unit) {
      const frames = this.#problems.guard(() => framesIn(unit, this.#names, address));
      if (frames) return frames;
    }
    const line = this.lineAt(address);
    return line ? [{ function: undefined, ...line }] : [];
  }

  /** All that have code, of all units. */
  functions(): DebugFunction[] {
    return this.#codeUnits.flatMap(({ functions }) =>
      (functions?.list ?? []).map(({ entry, ranges }) => ({
        name: this.#problems.guard(() => this.#names.nameOf(entry)),
        ranges,
      })),
    );
  }

  /** Those with a fixed address, in the order of their addresses. */
  variables(): readonly DebugVariable[] {
    return this.#programData.variables;
  }

  /** What is at this address: `queue.head`, `jobs[3].state`. */
  dataAt(address: ImageAddress): DataPlace | undefined {
    return this.#problems.guard(() => this.#programData.placeAt(address));
  }

  /** The bytes of variables that are of an atomic type, in order; those that touch may be one. */
  atomicRanges(): readonly AddressRange[] {
    return this.#programData.atomicRanges;
  }

  get #programData(): ProgramData {
    this.#data ??= new ProgramData(this.#units, this.#names, this.#problems);
    return this.#data;
  }

  #unitAt(address: number): CompilationUnit | undefined {
    this.#index ??= new AddressIndex(this.#codeUnits, this.#problems);
    return this.#index.find(address);
  }
}
