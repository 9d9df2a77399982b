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
import type { EnteredCall } from '../recorder/conductor.ts';
import { FreeConductor } from './free-conductor.ts';
import type { FamilyPath } from './serial.ts';

export interface Side {
  readonly path: FamilyPath;
  readonly call: CallRecord;
}

/** Nobody has moved for so long. */
const PATIENCE_MS = 100;

export class Ambush extends FreeConductor {
  readonly #held: Side;
  readonly #awaited: Side;
  /** Who is in the call that is waited for. */
  #coming: Tid | undefined;
  #hasCome = false;
  #isOver = false;

  constructor(held: Side, awaited: Side) {
    super();
    this.#held = held;
    this.#awaited = awaited;
  }

  /** Why it came to nothing; undefined if the other side came first. */
  get divergence(): string | undefined {
    return this.#hasCome ? undefined : 'the other side did not come before it';
  }

  override enters(task: Tid, call: EnteredCall): void {
    const member = this.family.get(task);
    if (!member || this.#isOver) return this.release(task);
    member.isBusy = true;
    if (isCall(call, this.#held.call) && isSamePath(member.process.path, this.#held.path)) {
      member.isHeld = true;
      return;
    }
    if (isCall(call, this.#awaited.call) && !isSamePath(member.process.path, this.#held.path)) {
      this.#coming ??= task;
    }
    this.release(task);
  }

  override left(task: Tid): boolean {
    super.left(task);
    if (task === this.#coming) {
      this.#hasCome = true;
      this.#end();
    }
    return true;
  }

  override patience(): number | undefined {
    return !this.#isOver && this.family.isAtRest() ? PATIENCE_MS : undefined;
  }

  override stalled(): void {
    this.#end();
  }

  override abandon(): void {
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    for (const [task, member] of this.held()) {
      member.isHeld = false;
      this.release(task);
    }
  }
}

const isCall = (now: EnteredCall, { number, path, path2 }: CallRecord): boolean =>
  now.number === number && now.path === path && now.path2 === path2;

const isSamePath = (a: FamilyPath, b: FamilyPath): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);
