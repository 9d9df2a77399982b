/**
 * The tasks of a running tree, each known by its way down from the command (serial.ts), and who of
 * them is held or may be waiting in the kernel: what conductors need that do not follow a script.
 */
import type { Tid } from '../../linux/ids.ts';
import type { FamilyPath } from './serial.ts';

export interface Member {
  readonly path: FamilyPath;
  children: number;
  isHeld: boolean;
  /** In a recorded call, and perhaps waiting there. */
  isBusy: boolean;
  /** Its parent cannot go on before it has run another program: to hold it would be to hold both. */
  isWaitedFor: boolean;
}

export class Family {
  readonly #members = new Map<Tid, Member>();

  begins(root: Tid): Member {
    return this.#add(root, [], false);
  }

  /** `waits`: the parent, for its child to run another program. */
  forked(parent: Tid, child: Tid, waits: boolean): Member | undefined {
    const member = this.#members.get(parent);
    return member && this.#add(child, [...member.path, member.children++], waits);
  }

  execed(task: Tid): void {
    const member = this.#members.get(task);
    if (member) member.isWaitedFor = false;
  }

  renamed(from: Tid, to: Tid): void {
    const member = this.#members.get(from);
    this.#members.delete(from);
    if (member) this.#members.set(to, member);
  }

  gone(task: Tid): void {
    this.#members.delete(task);
  }

  get(task: Tid): Member | undefined {
    return this.#members.get(task);
  }

  /** Whether everybody is held, or in some call. */
  isAtRest(): boolean {
    for (const { isHeld, isBusy } of this.#members.values()) if (!isHeld && !isBusy) return false;
    return this.#members.size > 0;
  }

  *[Symbol.iterator](): Generator<[Tid, Member]> {
    yield* this.#members;
  }

  #add(task: Tid, path: FamilyPath, isWaitedFor: boolean): Member {
    const member = { path, children: 0, isHeld: false, isBusy: false, isWaitedFor };
    this.#members.set(task, member);
    return member;
  }
}
