/**
 * Lets a program run freely but for some of its units (serial.ts), of which each may do nothing that
 * is recorded until those before it are gone, or can do no more without it.
 */
import type { Tid } from '../../linux/ids.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Conductor, EnteredCall, Release } from '../recorder/conductor.ts';
import { startsTask } from '../replay/mismatch.ts';
import { Family, type Member } from './family.ts';
import { isIn, type Unit } from './serial.ts';

/** Nobody has moved for so long: then whoever could is waiting for one that is held. */
const PATIENCE_MS = 30;

export class Serializer implements Conductor {
  readonly #units: readonly Unit[];
  readonly #begun = new Set<number>();
  /** Those that the others cannot do without. */
  readonly #needed = new Set<number>();
  readonly #family = new Family();
  #released: Release[] = [];
  #isOpen = false;

  constructor(...units: readonly Unit[]) {
    this.#units = units;
  }

  begins(root: Tid): void {
    this.#note(this.#family.begins(root));
  }

  mayPass(): boolean {
    return false;
  }

  enters(task: Tid, call: EnteredCall): void {
    this.#hold(task);
    const member = this.#family.get(task);
    if (member && !startsTask(call)) member.isBusy = true;
  }

  left(task: Tid): boolean {
    const member = this.#family.get(task);
    if (member) member.isBusy = false;
    return true;
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    this.#note(this.#family.forked(parent, child, how));
  }

  execed(task: Tid): void {
    this.#family.execed(task);
  }

  renamed(from: Tid, to: Tid): void {
    this.#family.renamed(from, to);
  }

  signalled(task: Tid, signal: number): void {
    this.#released.push({ task, signal });
  }

  exits(task: Tid): void {
    this.#hold(task);
  }

  gone(task: Tid): void {
    this.#family.gone(task);
    this.#releaseHeld();
  }

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    return this.#held().length > 0 && this.#family.isAtRest() ? PATIENCE_MS : undefined;
  }

  stalled(): void {
    this.#needed.add(Math.min(...this.#held().map(([, member]) => this.#unitOf(member))));
    this.#releaseHeld();
  }

  abandon(): void {
    this.#isOpen = true;
    this.#releaseHeld();
  }

  hasGivenUp(): boolean {
    return false;
  }

  #note(member: Member | undefined): void {
    if (member) this.#begun.add(this.#unitOf(member));
  }

  /** -1 for those in none. */
  #unitOf({ process }: Member): number {
    return this.#units.findIndex((unit) => isIn(process.path, unit));
  }

  #hold(task: Tid): void {
    const member = this.#family.get(task);
    if (member && !member.isWaitedFor && !this.#mayRun(this.#unitOf(member))) member.isHeld = true;
    else this.#released.push({ task });
  }

  #mayRun(unit: number): boolean {
    if (this.#isOpen || unit < 0 || this.#needed.has(unit)) return true;
    const alive = new Set([...this.#family].map(([, member]) => this.#unitOf(member)));
    const isOver = (earlier: number): boolean => this.#begun.has(earlier) && !alive.has(earlier);
    return this.#units.slice(0, unit).every((_, earlier) => isOver(earlier));
  }

  #held(): [Tid, Member][] {
    return [...this.#family].filter(([, { isHeld }]) => isHeld);
  }

  #releaseHeld(): void {
    for (const [task, member] of this.#held()) {
      if (!this.#mayRun(this.#unitOf(member))) continue;
      member.isHeld = false;
      this.#released.push({ task });
    }
  }
}
