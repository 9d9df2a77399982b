/**
 * Lets a program run freely but for two of its units (serial.ts), of which the second one may do
 * nothing that is recorded until the first one is gone, or can do no more without it.
 */
import type { Tid } from '../../linux/ids.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Conductor, EnteredCall, Release } from '../recorder/conductor.ts';
import { startsTask } from '../replay/mismatch.ts';
import { type FamilyPath, isIn, type Unit } from './serial.ts';

/** A process, which may have several tasks. */
interface Family {
  readonly path: FamilyPath;
  children: number;
}

interface Member {
  readonly family: Family;
  isHeld: boolean;
  /** In a recorded call, and perhaps waiting there. */
  isBusy: boolean;
  /** Its parent cannot go on before it has run another program: to hold it would be to hold both. */
  isWaitedFor: boolean;
}

/** Nobody has moved for so long: then whoever could is waiting for the second unit. */
const PATIENCE_MS = 30;

export class Serializer implements Conductor {
  readonly #first: Unit;
  readonly #second: Unit;
  readonly #members = new Map<Tid, Member>();
  #released: Release[] = [];
  #hasFirstBegun = false;
  #isOpen = false;

  constructor(first: Unit, second: Unit) {
    this.#first = first;
    this.#second = second;
  }

  begins(root: Tid): void {
    this.#add(root, { path: [], children: 0 });
  }

  mayPass(): boolean {
    return false;
  }

  enters(task: Tid, call: EnteredCall): void {
    this.#hold(task);
    const member = this.#members.get(task);
    if (member && !startsTask(call)) member.isBusy = true;
  }

  left(task: Tid): boolean {
    const member = this.#members.get(task);
    if (member) member.isBusy = false;
    return true;
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const family = this.#members.get(parent)?.family;
    if (!family) return;
    if (how === 'thread') return this.#add(child, family);
    const path = [...family.path, family.children++];
    this.#add(child, { path, children: 0 }, how === 'vfork');
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

  signalled(task: Tid, signal: number): void {
    this.#released.push({ task, signal });
  }

  exits(task: Tid): void {
    this.#hold(task);
  }

  gone(task: Tid): void {
    this.#members.delete(task);
    if (this.#hasFirstBegun && !this.#isFirstAlive()) this.#open();
  }

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    if (this.#isOpen || this.#members.size === 0) return undefined;
    for (const { isHeld, isBusy } of this.#members.values()) {
      if (!isHeld && !isBusy) return undefined;
    }
    return PATIENCE_MS;
  }

  stalled(): void {
    this.#open();
  }

  abandon(): void {
    this.#open();
  }

  hasGivenUp(): boolean {
    return false;
  }

  #add(task: Tid, family: Family, isWaitedFor = false): void {
    this.#members.set(task, { family, isHeld: false, isBusy: false, isWaitedFor });
    this.#hasFirstBegun ||= isIn(family.path, this.#first);
  }

  #isFirstAlive(): boolean {
    return [...this.#members.values()].some(({ family }) => isIn(family.path, this.#first));
  }

  #hold(task: Tid): void {
    const member = this.#members.get(task);
    const mustWait =
      !this.#isOpen && member && !member.isWaitedFor && isIn(member.family.path, this.#second);
    if (mustWait) member.isHeld = true;
    else this.#released.push({ task });
  }

  #open(): void {
    this.#isOpen = true;
    for (const [task, member] of this.#members) {
      if (member.isHeld) this.#released.push({ task });
      member.isHeld = false;
    }
  }
}
