/** The variables of the whole program: all units are gone through, once, when the first is asked for. */
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { type AddressRange, isInImage } from './addresses.ts';
import { AtomicParts } from './atomic-parts.ts';
import { dataPath } from './data-path.ts';
import { DisjointRanges } from './disjoint-ranges.ts';
import { type EntryNames, firstOf } from './entry-names.ts';
import { Attribute } from './numbers.ts';
import type { Problems } from './problems.ts';
import { type Type, Types } from './types.ts';
import type { Unit } from './unit.ts';
import type { Units } from './units.ts';
import { type PlacedEntry, readVariables } from './variables.ts';

export interface DebugVariable {
  /** `jobs::queue`; undefined if the file does not say. */
  readonly name: string | undefined;
  readonly address: ImageAddress;
  readonly size: number;
}

export interface DataPlace {
  readonly variable: DebugVariable;
  /** `jobs::queue.slots[3].head` */
  readonly text: string;
  readonly isAtomic: boolean;
}

interface TypedVariable extends DebugVariable {
  readonly type: Type;
}

export class ProgramData {
  readonly variables: readonly DebugVariable[];
  /** The bytes of variables that are atomic, in order. */
  readonly atomicRanges: readonly AddressRange[];
  readonly #names: EntryNames;
  readonly #types: Types;
  readonly #byAddress: DisjointRanges<TypedVariable>;
  readonly #atomics: DisjointRanges<true>;

  constructor(units: Units, names: EntryNames, problems: Problems) {
    this.#names = names;
    this.#types = new Types(units, names);
    const found = units.list.flatMap((unit) => problems.guard(() => this.#read(unit)) ?? []);
    const all = [...uniqueByAddress(found).values()].sort((a, b) => a.address - b.address);
    this.variables = all.map(({ name, address, size }) => ({ name, address, size }));
    this.#byAddress = new DisjointRanges(
      all.map((value) => ({ low: value.address, high: value.address + value.size, value })),
    );
    const parts = new AtomicParts(this.#types);
    this.atomicRanges = all.flatMap(
      (one) => problems.guard(() => shifted(parts.of(one.type), one.address)) ?? [],
    );
    this.#atomics = new DisjointRanges(this.atomicRanges.map((part) => ({ ...part, value: true })));
  }

  placeAt(address: ImageAddress): DataPlace | undefined {
    const found = this.#byAddress.find(address);
    if (!found) return undefined;
    const { type, ...variable } = found;
    const path = dataPath(this.#types, type, address - variable.address);
    return {
      variable,
      text: `${variable.name ?? '(unnamed)'}${path}`,
      isAtomic: this.isAtomic(address),
    };
  }

  isAtomic(address: ImageAddress): boolean {
    return this.#atomics.find(address) ?? false;
  }

  #read(unit: Unit): TypedVariable[] {
    return readVariables(unit)
      .map((placed) => this.#describe(placed))
      .filter(({ address, size }) => isInImage(address, address + size));
  }

  #describe({ entry, address }: PlacedEntry): TypedVariable {
    const origins = this.#names.origins(entry);
    const type = this.#types.at(firstOf(origins, (one) => one.reference(Attribute.type)));
    const name = this.#names.nameOf(entry);
    return { name, address: imageAddress(address), size: type.size, type };
  }
}

/** A variable may be described in several units (`inline` in C++) and twice in one (in a copy of its function). */
function uniqueByAddress(all: readonly TypedVariable[]): Map<number, TypedVariable> {
  const unique = new Map<number, TypedVariable>();
  for (const variable of all) {
    const other = unique.get(variable.address);
    if (!other || variable.size > other.size) unique.set(variable.address, variable);
  }
  return unique;
}

const shifted = (parts: readonly AddressRange[], by: number): AddressRange[] =>
  parts.map(({ low, high }) => ({ low: low + by, high: high + by }));
