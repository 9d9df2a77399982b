/**
 * Which locks are held at a place: a list of names, in the order in which they were taken, known by a number, so
 * that states of the traversal can be compared. A lock's name is its address, where that always is the same, or
 * by which register the program finds it (lock-names.ts), which may be another lock later:
 *
 *   lock a; lock b; unlock a      [a] [a b] [b]      by their names: b outlives a
 *   lock ~rbx; unlock ~rbp        [~rbx] []          no lock has that name, so it is the last of those that may
 */
import { assert } from '../../base/assert.ts';

export type HeldId = number;

export const NOTHING_HELD: HeldId = 0;

/** A loop that only takes locks would never come to an end. */
export const MOST_HELD = 6;
/** As often the same lock: `if (threaded) lock(); …; if (threaded) unlock();` looks as if it were taken for ever. */
const MOST_ALIKE = 2;

/** Of a lock that is found by a pointer. */
export const isByPointer = (name: string): boolean => name.startsWith('~');

export class HeldLocks {
  readonly #lists: (readonly string[])[] = [[]];
  readonly #ids = new Map<string, HeldId>([['', NOTHING_HELD]]);

  locks(id: HeldId): readonly string[] {
    const list = this.#lists[id];
    assert(list !== undefined, 'a list of locks that nobody has made');
    return list;
  }

  /** undefined if there would be too many. */
  taken(id: HeldId, name: string): HeldId | undefined {
    const list = this.locks(id);
    if (list.filter((one) => one === name).length >= MOST_ALIKE) return id;
    return list.length >= MOST_HELD ? undefined : this.#idOf([...list, name]);
  }

  /** The same if it is none of them. */
  released(id: HeldId, name: string): HeldId {
    const list = this.locks(id);
    const place = releasedPlace(list, name);
    return place < 0 ? id : this.#idOf(list.filter((_, other) => other !== place));
  }

  #idOf(list: readonly string[]): HeldId {
    const key = list.join(' ');
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#lists.length;
    this.#lists.push(list);
    this.#ids.set(key, id);
    return id;
  }
}

/** Which of them is let go of; -1 if none. */
export function releasedPlace(list: readonly string[], name: string): number {
  const same = list.lastIndexOf(name);
  if (same >= 0) return same;
  const byPointer = list.findLastIndex(isByPointer);
  if (byPointer >= 0 || !isByPointer(name)) return byPointer;
  return list.length - 1;
}
