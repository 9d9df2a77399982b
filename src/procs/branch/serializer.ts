/**
 * Lets a program run freely but for some of its units (serial.ts), of which each may do nothing that
 * is recorded until those before it are gone, or can do no more without it.
 */
import type { Tid } from '../../linux/ids.ts';
import type { EnteredCall } from '../recorder/conductor.ts';
import { startsTask } from '../replay/mismatch.ts';
import type { Member } from './family.ts';
import { FreeConductor } from './free-conductor.ts';
import { isIn, type Unit } from './serial.ts';

/** Nobody has moved for so long: then whoever could is waiting for one that is held. */
const PATIENCE_MS = 30;

export class Serializer extends FreeConductor {
  readonly #units: readonly Unit[];
  readonly #begun = new Set<number>();
  /** Those that the others cannot do without. */
  readonly #needed = new Set<number>();
  #isOpen = false;

  constructor(...units: readonly Unit[]) {
    super();
    this.#units = units;
  }

  override enters(task: Tid, call: EnteredCall): void {
    this.#hold(task);
    const member = this.family.get(task);
    if (member && !startsTask(call)) member.isBusy = true;
  }

  override exits(task: Tid): void {
    this.#hold(task);
  }

  override gone(task: Tid): void {
    super.gone(task);
    this.#releaseHeld();
  }

  override patience(): number | undefined {
    return this.held().length > 0 && this.family.isAtRest() ? PATIENCE_MS : undefined;
  }

  override stalled(): void {
    this.#needed.add(Math.min(...this.held().map(([, member]) => this.#unitOf(member))));
    this.#releaseHeld();
  }

  override abandon(): void {
    this.#isOpen = true;
    this.#releaseHeld();
  }

  protected override born(member: Member | undefined): void {
    if (member) this.#begun.add(this.#unitOf(member));
  }

  /** -1 for those in none. */
  #unitOf({ process }: Member): number {
    return this.#units.findIndex((unit) => isIn(process.path, unit));
  }

  #hold(task: Tid): void {
    const member = this.family.get(task);
    if (member && !member.isWaitedFor && !this.#mayRun(this.#unitOf(member))) member.isHeld = true;
    else this.release(task);
  }

  #mayRun(unit: number): boolean {
    if (this.#isOpen || unit < 0 || this.#needed.has(unit)) return true;
    const alive = new Set([...this.family].map(([, member]) => this.#unitOf(member)));
    const isOver = (earlier: number): boolean => this.#begun.has(earlier) && !alive.has(earlier);
    return this.#units.slice(0, unit).every((_, earlier) => isOver(earlier));
  }

  #releaseHeld(): void {
    for (const [task, member] of this.held()) {
      if (!this.#mayRun(this.#unitOf(member))) continue;
      member.isHeld = false;
      this.release(task);
    }
  }
}
