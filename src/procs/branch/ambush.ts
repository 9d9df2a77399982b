/**
 * Runs a program freely, and only keeps the one side of a race waiting until the other has come. Not
 * as exact as a replay, since the run may differ from the recorded one in everything else, but it
 * needs no more of it than that both sides come:
 *
 *   sh (held before its) creat("config.h")      until cc1 has done open("src/../config.h")
 *
 * If nobody else can move before the other side has come, something puts the two in order.
 */
import type { Tid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Conductor, EnteredCall, Release } from '../recorder/conductor.ts';
import { Family } from './family.ts';
import type { FamilyPath } from './serial.ts';

export interface Side {
  readonly path: FamilyPath;
  readonly call: CallRecord;
}

/** Nobody has moved for so long. */
const PATIENCE_MS = 100;

export class Ambush implements Conductor {
  readonly #held: Side;
  readonly #awaited: Side;
  readonly #family = new Family();
  #released: Release[] = [];
  /** Who is in the call that is waited for. */
  #coming: Tid | undefined;
  #hasCome = false;
  #isOver = false;

  constructor(held: Side, awaited: Side) {
    this.#held = held;
    this.#awaited = awaited;
  }

  /** Why it came to nothing; undefined if the other side came first. */
  get divergence(): string | undefined {
    return this.#hasCome ? undefined : 'the other side did not come before it';
  }

  begins(root: Tid): void {
    this.#family.begins(root);
  }

  mayPass(): boolean {
    return false;
  }

  enters(task: Tid, call: EnteredCall): void {
    const member = this.#family.get(task);
    if (!member || this.#isOver) return this.#release(task);
    member.isBusy = true;
    if (isCall(call, this.#held.call) && isSamePath(member.process.path, this.#held.path)) {
      member.isHeld = true;
      return;
    }
    if (isCall(call, this.#awaited.call) && !isSamePath(member.process.path, this.#held.path)) {
      this.#coming ??= task;
    }
    this.#release(task);
  }

  left(task: Tid): boolean {
    const member = this.#family.get(task);
    if (member) member.isBusy = false;
    if (task === this.#coming) {
      this.#hasCome = true;
      this.#end();
    }
    return true;
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const member = this.#family.get(parent);
    if (member) member.isBusy = false;
    this.#family.forked(parent, child, how);
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
    this.#release(task);
  }

  gone(task: Tid): void {
    this.#family.gone(task);
  }

  takeReleased(): readonly Release[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    return !this.#isOver && this.#family.isAtRest() ? PATIENCE_MS : undefined;
  }

  stalled(): void {
    this.#end();
  }

  abandon(): void {
    this.#end();
  }

  hasGivenUp(): boolean {
    return false;
  }

  #release(task: Tid): void {
    this.#released.push({ task });
  }

  #end(): void {
    this.#isOver = true;
    for (const [task, member] of this.#family) {
      if (member.isHeld) this.#release(task);
      member.isHeld = false;
    }
  }
}

const isCall = (now: EnteredCall, { number, path, path2 }: CallRecord): boolean =>
  now.number === number && now.path === path && now.path2 === path2;

const isSamePath = (a: FamilyPath, b: FamilyPath): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);
