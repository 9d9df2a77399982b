/**
 * All critical sections so far, for two questions about a part of the trace that has the first so many
 * events of each thread: which locks does a thread hold at its end, and has somebody in it taken one of
 * these later, so that the holder must have let go?
 *
 *   T1  acquire m  …  release m                    part: T1's first 2 events, T2's first 4
 *   T2                           acquire m  …      T1 holds m at its end, and T2's section overtakes it
 */
import { countAtMost } from '../ascending.ts';
import type { CriticalSection, Held } from '../held-locks.ts';

/** Those of one thread with one lock, in their order. */
class Sections {
  readonly indexes: number[] = [];
  readonly events: number[] = [];

  add({ index, event }: CriticalSection): void {
    this.indexes.push(index);
    this.events.push(event);
  }

  /** Whether one began after an event, among the first so many events of its thread. */
  hasLater(event: number, count: number): boolean {
    const last = this.events.length - 1;
    if (last < 0 || this.events[last]! <= event) return false;
    const begun = countAtMost(this.indexes, count);
    return begun > 0 && this.events[begun - 1]! > event;
  }
}

class SectionsOfUser {
  readonly thread: number;
  readonly exclusive = new Sections();
  readonly shared = new Sections();

  constructor(thread: number) {
    this.thread = thread;
  }
}

export class CriticalSections {
  readonly #usersOf: SectionsOfUser[][] = [];
  /** By thread, after which of its events it held what. */
  readonly #changes: { readonly indexes: number[]; readonly held: (Held | undefined)[] }[] = [];

  add(section: CriticalSection): void {
    while (this.#usersOf.length <= section.lock) this.#usersOf.push([]);
    const users = this.#usersOf[section.lock]!;
    let user = users.find(({ thread }) => thread === section.thread);
    if (user === undefined) {
      user = new SectionsOfUser(section.thread);
      users.push(user);
    }
    (section.isShared ? user.shared : user.exclusive).add(section);
  }

  /** After its event `index`, the thread holds other locks than before. */
  changed(thread: number, index: number, held: Held | undefined): void {
    while (this.#changes.length <= thread) this.#changes.push({ indexes: [], held: [] });
    const changes = this.#changes[thread]!;
    changes.indexes.push(index);
    changes.held.push(held);
  }

  /** How often the thread has taken or left a lock. */
  changesOf(thread: number): number {
    return this.#changes[thread]?.indexes.length ?? 0;
  }

  /** What the thread holds after its first `count` events. */
  heldAfter(thread: number, count: number): Held | undefined {
    const changes = this.#changes[thread];
    if (changes === undefined) return undefined;
    const made = countAtMost(changes.indexes, count);
    return made === 0 ? undefined : changes.held[made - 1];
  }

  /** Whether somebody who could not have the lock at the same time took it later, in the given part. */
  isOvertaken({ lock, thread, event, isShared }: CriticalSection, part: Int32Array): boolean {
    for (const user of this.#usersOf[lock]!) {
      if (user.thread === thread) continue;
      const count = part[user.thread]!;
      if (user.exclusive.hasLater(event, count)) return true;
      if (!isShared && user.shared.hasLater(event, count)) return true;
    }
    return false;
  }
}
