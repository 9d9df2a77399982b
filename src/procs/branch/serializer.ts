/**
 * Lets a program run freely but for two of its units (serial.ts), of which the second one may do
 * nothing that is recorded until the first one is gone, or can do no more without it.
 */
import type { Tid } from '../../linux/ids.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Conductor, EnteredCall, Release } from '../recorder/conductor.ts';
import { startsTask } from '../replay/mismatch.ts';
import { Family, type Member } from './family.ts';
import { isIn, type Unit } from './serial.ts';

/** Nobody has moved for so long: then whoever could is waiting for the second unit. */
const PATIENCE_MS = 30;

export class Serializer implements Conductor {
  readonly #first: Unit;
  readonly #second: Unit;
  readonly #family = new Family();
  #released: Release[] = [];
  #hasFirstBegun = false;
  #isOpen = false;

  constructor(first: Unit, second: Unit) {
    this.#first = first;
    this.#second = second;
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
    if (this.#hasFirstBegun && !this.#isFirstAlive()) this.#open();
  }

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    return !this.#isOpen && this.#family.isAtRest() ? PATIENCE_MS : undefined;
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

  #note(member: Member | undefined): void {
    if (member) this.#hasFirstBegun ||= isIn(member.process.path, this.#first);
  }

  #isFirstAlive(): boolean {
    return [...this.#family].some(([, { process }]) => isIn(process.path, this.#first));
  }

  #hold(task: Tid): void {
    const member = this.#family.get(task);
    const mustWait =
      !this.#isOpen && member && !member.isWaitedFor && isIn(member.process.path, this.#second);
    if (mustWait) member.isHeld = true;
    else this.#released.push({ task });
  }

  #open(): void {
    this.#isOpen = true;
    for (const [task, member] of this.#family) {
      if (member.isHeld) this.#released.push({ task });
      member.isHeld = false;
    }
  }
}
