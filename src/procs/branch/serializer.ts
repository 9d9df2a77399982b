/**
 * Lets a program run freely but for some of its units (serial.ts), of which each may do nothing that
 * is recorded until those before it are gone, or can do no more without it.
 */
import type { Tid } from '../../linux/ids.ts';
import type { Conductor, EnteredCall, Release } from '../recorder/conductor.ts';
import { startsTask } from '../replay/mismatch.ts';
import { type FamilyPath, isIn, type Unit } from './serial.ts';

interface Member {
  readonly path: FamilyPath;
  /** Which unit it is in; -1 for none. */
  readonly unit: number;
  children: number;
  isHeld: boolean;
  /** In a recorded call, and perhaps waiting there. */
  isBusy: boolean;
  /** Its parent cannot go on before it has run another program: to hold it would be to hold both. */
  isWaitedFor: boolean;
}

/** Nobody has moved for so long: then whoever could is waiting for one that is held. */
const PATIENCE_MS = 30;

export class Serializer implements Conductor {
  readonly #units: readonly Unit[];
  readonly #begun = new Set<number>();
  /** Those that the others cannot do without. */
  readonly #needed = new Set<number>();
  readonly #members = new Map<Tid, Member>();
  #released: Release[] = [];
  #isOpen = false;

  constructor(...units: readonly Unit[]) {
    this.#units = units;
  }

  begins(root: Tid): void {
    this.#add(root, []);
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

  forked(parent: Tid, child: Tid, waits: boolean): void {
    const member = this.#members.get(parent);
    if (member) this.#add(child, [...member.path, member.children++], waits);
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
    this.#releaseHeld();
  }

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    const members = [...this.#members.values()];
    const isStill = members.every(({ isHeld, isBusy }) => isHeld || isBusy);
    return isStill && members.some(({ isHeld }) => isHeld) ? PATIENCE_MS : undefined;
  }

  stalled(): void {
    const held = [...this.#members.values()].filter(({ isHeld }) => isHeld);
    this.#needed.add(Math.min(...held.map(({ unit }) => unit)));
    this.#releaseHeld();
  }

  abandon(): void {
    this.#isOpen = true;
    this.#releaseHeld();
  }

  hasGivenUp(): boolean {
    return false;
  }

  #add(task: Tid, path: FamilyPath, isWaitedFor = false): void {
    const unit = this.#units.findIndex((one) => isIn(path, one));
    const member = { path, unit, children: 0, isHeld: false, isBusy: false, isWaitedFor };
    this.#members.set(task, member);
    this.#begun.add(unit);
  }

  #hold(task: Tid): void {
    const member = this.#members.get(task);
    if (member && !member.isWaitedFor && !this.#mayRun(member.unit)) member.isHeld = true;
    else this.#released.push({ task });
  }

  #mayRun(unit: number): boolean {
    if (this.#isOpen || unit < 0 || this.#needed.has(unit)) return true;
    const alive = new Set([...this.#members.values()].map((member) => member.unit));
    return this.#units
      .slice(0, unit)
      .every((_, earlier) => this.#begun.has(earlier) && !alive.has(earlier));
  }

  #releaseHeld(): void {
    for (const [task, member] of this.#members) {
      if (!member.isHeld || !this.#mayRun(member.unit)) continue;
      member.isHeld = false;
      this.#released.push({ task });
    }
  }
}
