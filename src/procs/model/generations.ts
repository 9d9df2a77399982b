/**
 * A file that gets another name is a new generation of itself: whoever finds it under that name can
 * only do so after the rename, and so after what was done to it before. That is how programs publish
 * a file without a lock:
 *
 *   14: write(f.new), rename(f.new, f)      generation 1 is written and renamed
 *   15: open(f), read                       reads generation 2: no race with the write
 *   14: write, through its old descriptor   writes generations 1 and 2: a race with that read
 *
 * So what is done through the old name, or what was opened by it, counts for all later generations.
 * That a write came before a rename is taken from this run, which may hide a race between the two;
 * but those who write a file by its name race with its renaming too, for the name.
 */
import type { Operation, Thing } from './operation.ts';

export class Generations {
  readonly #next = new Map<string, Thing[]>();
  #count = 0;

  /** The file as it is known by its new name. */
  renamed(file: Thing, name: string): Thing {
    const later = { key: `${file.key}.${++this.#count}`, name };
    this.#next.set(file.key, [...(this.#next.get(file.key) ?? []), later]);
    return later;
  }

  /** The operations, and the same on what became of the files. */
  withLater(operations: Operation[]): Operation[] {
    if (this.#next.size === 0) return operations;
    const later = operations.flatMap((operation) =>
      this.#after(operation.thing).map((thing) => ({ ...operation, thing })),
    );
    return later.length === 0 ? operations : [...operations, ...later];
  }

  #after({ key }: Thing): Thing[] {
    return (this.#next.get(key) ?? []).flatMap((thing) => [thing, ...this.#after(thing)]);
  }
}

/** Whether two are generations of one file. */
export const isSameFile = (a: Thing, b: Thing): boolean => firstOf(a) === firstOf(b);

const firstOf = ({ key }: Thing): string => key.split('.', 1)[0]!;
