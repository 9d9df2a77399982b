/**
 * Lets everybody go on at once: a run that nobody conducts, under the same conditions as the others.
 * Those who let a program run freely but for something build on it.
 */
import type { Tid } from '../../linux/ids.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Conductor, EnteredCall, Passage, Release } from '../recorder/conductor.ts';
import { Family, type Member } from './family.ts';

export class FreeConductor implements Conductor {
  protected readonly family = new Family();
  #released: Release[] = [];

  begins(root: Tid): void {
    this.born(this.family.begins(root));
  }

  mayPass(): Passage {
    return 'stops';
  }

  enters(task: Tid, _call: EnteredCall): void {
    this.release(task);
  }

  left(task: Tid): boolean {
    const member = this.family.get(task);
    if (member) member.isBusy = false;
    return true;
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const member = this.family.get(parent);
    if (member) member.isBusy = false;
    this.born(this.family.forked(parent, child, how));
  }

  execed(task: Tid): void {
    this.family.execed(task);
  }

  renamed(from: Tid, to: Tid): void {
    this.family.renamed(from, to);
  }

  signalled(task: Tid, signal: number): void {
    this.#released.push({ task, signal });
  }

  exits(task: Tid): void {
    this.release(task);
  }

  gone(task: Tid): void {
    this.family.gone(task);
  }

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    return undefined;
  }

  stalled(): void {}

  abandon(): void {}

  hasGivenUp(): boolean {
    return false;
  }

  /** Somebody is there who was not. */
  protected born(_member: Member | undefined): void {}

  protected release(task: Tid): void {
    this.#released.push({ task });
  }

  protected held(): [Tid, Member][] {
    return [...this.family].filter(([, { isHeld }]) => isHeld);
  }
}
