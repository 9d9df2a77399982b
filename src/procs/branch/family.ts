/**
 * The tasks of a running tree, each known by its way down from the command (serial.ts), and who of
 * them is held or may be waiting in the kernel: what conductors need that do not follow a script.
 */
import type { Tid } from '../../linux/ids.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { FamilyPath } from './serial.ts';

/** A process, which may have several tasks. */
export interface FamilyProcess {
  readonly path: FamilyPath;
  children: number;
}

export interface Member {
  readonly process: FamilyProcess;
  isHeld: boolean;
  /** In a recorded call, and perhaps waiting there. */
  isBusy: boolean;
  /** Its parent cannot go on before it has run another program: to hold it would be to hold both. */
  isWaitedFor: boolean;
}

export class Family {
  readonly #members = new Map<Tid, Member>();

  begins(root: Tid): Member {
    return this.#add(root, { path: [], children: 0 }, false);
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): Member | undefined {
    const process = this.#members.get(parent)?.process;
    if (!process) return undefined;
    if (how === 'thread') return this.#add(child, process, false);
    const path = [...process.path, process.children++];
    return this.#add(child, { path, children: 0 }, how === 'vfork');
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

  #add(task: Tid, process: FamilyProcess, isWaitedFor: boolean): Member {
    const member = { process, isHeld: false, isBusy: false, isWaitedFor };
    this.#members.set(task, member);
    return member;
  }
}
