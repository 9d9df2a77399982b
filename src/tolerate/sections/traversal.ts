/**
 * Goes through a critical section along all ways, from where its lock was taken to where nothing is held any
 * more. A state is a place, which locks are held there, and what is known of rax; states are put on a list and
 * taken from it once each, so that ten branches in a row are twenty states and not a thousand ways.
 *
 * A function that has to do with locks is gone through once for each list of locks that it is called with (a
 * context), and whoever calls it goes on with all that it was left with. One that has not is taken as a whole.
 */
import { FlowControl } from 'iced-x86';
import { constantResult } from './constant-result.ts';
import type { FunctionFacts } from './function-facts.ts';
import { throwsItself } from './function-facts.ts';
import { type HeldId, type HeldLocks, NOTHING_HELD, releasedPlace } from './held-locks.ts';
import { leavingBy, neverReturns } from './known-imports.ts';
import { lockCall } from './lock-calls.ts';
import { lockArgument } from './lock-names.ts';
import { jumpTaken, RESULT_COUNT, Result, resultAfter, resultReturned } from './lock-result.ts';
import {
  type Callee,
  hexed,
  type ProgramCode,
  type ProgramFunction,
  type Spot,
} from './program-code.ts';
import { newTraversed, type Traversed } from './traversed.ts';

/** Whoever clones so much for one section would not be thanked. */
export const MOST_STATES = 40_000;

interface Context {
  readonly start: Spot;
  readonly held: HeldId;
  readonly isRoot: boolean;
  /** Keys of states that have been there. */
  readonly seen: Set<number>;
  readonly exits: Map<string, { held: HeldId; result: Result }>;
  readonly thrown: Set<HeldId>;
  readonly callers: Caller[];
}

interface Caller {
  readonly context: Context;
  readonly callee: ProgramFunction;
  readonly spot: Spot;
  /** undefined for a tail call. */
  readonly next: Spot | undefined;
}

interface State {
  readonly context: Context;
  readonly spot: Spot;
  readonly held: HeldId;
  readonly result: Result;
}

export interface Start {
  readonly spot: Spot;
  readonly held: HeldId;
  readonly result: Result;
  /** Whether to go on where nothing is held: to see with what a function comes back. */
  readonly goesOn: boolean;
}

export function traverse(
  program: ProgramCode,
  facts: FunctionFacts,
  locks: HeldLocks,
  start: Start,
): Traversed {
  return new Traversal(program, facts, locks, start.goesOn).run(start);
}

class Traversal {
  readonly #program: ProgramCode;
  readonly #facts: FunctionFacts;
  readonly #locks: HeldLocks;
  readonly #goesOn: boolean;
  readonly #found = newTraversed();
  readonly #contexts = new Map<string, Context>();
  readonly #waiting: State[] = [];
  #states = 0;

  constructor(program: ProgramCode, facts: FunctionFacts, locks: HeldLocks, goesOn: boolean) {
    this.#program = program;
    this.#facts = facts;
    this.#locks = locks;
    this.#goesOn = goesOn;
  }

  run({ spot, held, result }: Start): Traversed {
    const root = newContext(spot, held, true);
    this.#arrive(root, spot, held, result);
    for (let state = this.#waiting.pop(); state; state = this.#waiting.pop()) {
      if (++this.#states > MOST_STATES) {
        this.#found.isTooLarge = true;
        this.#obstacle('it runs through more of the program than is worth a copy');
        break;
      }
      this.#step(state);
    }
    this.#found.exits = [...root.exits.values()];
    return this.#found;
  }

  #obstacle(reason: string): void {
    this.#found.obstacle ??= reason;
  }

  #arrive(context: Context, spot: Spot, held: HeldId, result: Result): void {
    if (held === NOTHING_HELD && !this.#goesOn) {
      this.#found.ends = true;
      return;
    }
    const key = (held * RESULT_COUNT + result) * 2 ** 26 + spot;
    if (context.seen.has(key)) return;
    context.seen.add(key);
    this.#waiting.push({ context, spot, held, result });
  }

  #step(state: State): void {
    const { context, spot, held, result } = state;
    const inside = context.isRoot ? this.#found.rootSpots : this.#found.calledSpots;
    if (held !== NOTHING_HELD) inside.add(spot);
    const flow = this.#program.flow(spot);
    switch (flow.kind) {
      case 'goes':
        return this.#go(state, flow.to);
      case 'returns':
        return this.#exit(context, spot, held, result);
      case 'stops':
        return;
      case 'lost':
        return this.#getLost(context, spot, flow.why);
      case 'calls':
        return this.#call(state, flow.callee, flow.next);
    }
  }

  /** Isolation ends with the first frame's clone; but another's goes on when the original has returned. */
  #getLost(context: Context, spot: Spot, why: string): void {
    if (context.isRoot) this.#found.leaves.add(spot);
    else this.#obstacle(why);
  }

  #go({ context, spot, held, result }: State, to: readonly Spot[]): void {
    const instruction = this.#program.instruction(spot);
    if (!context.isRoot && held !== NOTHING_HELD) this.#requireClone(spot, to);
    const after = resultAfter(result, instruction, this.#program.bytesOf(spot));
    const isBranch = instruction.flow === FlowControl.ConditionalBranch && to.length === 2;
    const taken = isBranch ? jumpTaken(result, instruction) : 'either';
    for (const [place, target] of to.entries()) {
      if (taken === 'either' || (taken === 'jumps') === (place === 1)) {
        this.#arrive(context, target, held, after);
      }
    }
  }

  /** What takes locks, or lets go of them, must not get into the original unseen. */
  #requireClone(spot: Spot, to: readonly Spot[]): void {
    const { flow, address } = this.#program.instruction(spot);
    const { code, first } = this.#program.functionOf(spot);
    if (flow === FlowControl.IndirectBranch) {
      this.#obstacle(`where ${code.name}, which has to do with locks, goes on is computed`);
    }
    const isOther = (target: Spot): boolean =>
      target < first || target >= first + code.instructions.length;
    const other = to.find(isOther);
    if (other === undefined) return;
    const target = this.#program.functionOf(other);
    const isTailCall = flow === FlowControl.UnconditionalBranch && target.first === other;
    if (!isTailCall && !this.#facts.neverComesBack(target)) {
      this.#obstacle(`${code.name}, which has to do with locks, is in parts (${hexed(address)})`);
    }
  }

  #call(state: State, callee: Callee, next: Spot | undefined): void {
    const { context, spot, held } = state;
    switch (callee.kind) {
      case 'import':
        return this.#callImport(state, callee.name, next);
      case 'unreadable':
        this.#obstacle(`it calls ${callee.name}, which cannot be taken apart: ${callee.why}`);
        return this.#after(context, spot, next, held, Result.unknown);
      case 'computed':
        this.#throwsFrom(state, callee);
        return this.#after(context, spot, next, held, Result.unknown);
      case 'function':
        return this.#callFunction(state, callee.spot, next);
    }
  }

  #callImport(state: State, name: string, next: Spot | undefined): void {
    const { context, spot, held } = state;
    const leaving = leavingBy(name);
    if (leaving !== undefined && held !== NOTHING_HELD) {
      this.#obstacle(`it calls ${name}, which ${leaving}`);
    }
    const lock = lockCall(name);
    if (lock?.does === 'lock') return this.#lock(state, lock.ifZero, next);
    if (lock?.does === 'unlock') return this.#unlock(state, next);
    this.#throwsFrom(state, { kind: 'import', name });
    if (!neverReturns(name)) this.#after(context, spot, next, held, Result.unknown);
  }

  #lock({ context, spot, held }: State, ifZero: boolean, next: Spot | undefined): void {
    if (held !== NOTHING_HELD) {
      this.#found.nests = context.isRoot ? 'statically' : (this.#found.nests ?? 'dynamically');
    }
    const more = this.#locks.taken(held, this.#lockName(spot));
    if (more === undefined) this.#obstacle('it takes lock after lock without letting go of them');
    else this.#after(context, spot, next, more, Result.zero);
    if (ifZero) this.#after(context, spot, next, held, Result.other);
  }

  #unlock({ context, spot, held }: State, next: Spot | undefined): void {
    const name = this.#lockName(spot);
    const list = this.#locks.locks(held);
    if (list.length > 1 && releasedPlace(list, name) === 0) this.#found.overlaps = true;
    const less = this.#locks.released(held, name);
    if (less === NOTHING_HELD) this.#found.endingUnlocks.add(spot);
    this.#after(context, spot, next, less, Result.unknown);
  }

  #lockName(spot: Spot): string {
    const { code, first } = this.#program.functionOf(spot);
    return lockArgument(code, spot - first).name;
  }

  #callFunction(state: State, target: Spot, next: Spot | undefined): void {
    const { context, spot, held } = state;
    const callee = this.#program.functionOf(target);
    if (this.#facts.neverComesBack(callee)) return;
    if (this.#facts.isNeutral(callee)) {
      if (held !== NOTHING_HELD) this.#found.whole.add(callee);
      this.#caughtFrom(state);
      if (this.#facts.mayThrow(callee)) this.#throwPast(state);
      if (this.#facts.mayReturn(callee)) {
        this.#after(context, spot, next, held, constantResult(this.#program, callee));
      }
      return;
    }
    this.#caughtFrom(state);
    const key = `${target} ${held}`;
    const entered = this.#contexts.get(key) ?? newContext(target, held, false);
    this.#contexts.set(key, entered);
    const caller = { context, spot, next, callee };
    entered.callers.push(caller);
    this.#arrive(entered, target, held, Result.unknown);
    for (const exit of entered.exits.values()) this.#comeBack(caller, exit.held, exit.result);
    for (const thrown of entered.thrown) this.#catch(caller, thrown);
  }

  /** A call has returned, or the function with it, if it was a tail call. */
  #after(context: Context, spot: Spot, next: Spot | undefined, held: HeldId, result: Result): void {
    if (next !== undefined) this.#arrive(context, next, held, result);
    else if (isTail(this.#program, spot)) this.#exit(context, spot, held, result);
  }

  #exit(context: Context, spot: Spot, held: HeldId, result: Result): void {
    if (held === NOTHING_HELD && context.isRoot && !this.#goesOn) {
      this.#found.ends = true;
      return;
    }
    if (context.isRoot && held !== NOTHING_HELD) this.#found.leaves.add(spot);
    const returned = resultReturned(result);
    const key = `${held} ${returned}`;
    if (context.exits.has(key)) return;
    context.exits.set(key, { held, result: returned });
    for (const caller of context.callers) this.#comeBack(caller, held, returned);
  }

  #comeBack({ context, spot, next, callee }: Caller, held: HeldId, result: Result): void {
    if (held === NOTHING_HELD) {
      this.#found.endingCalls.add(spot);
      // What is left of the callee runs as the original, and its exceptions would be caught by a clone.
      if (this.#facts.mayThrow(callee) && typeof this.#program.thrown(spot) === 'number') {
        this.#obstacle(`an exception may come out of ${callee.code.name} after the lock is gone`);
      }
    }
    this.#after(context, spot, next, held, result);
  }

  /** An exception may come out of a call, and be caught, whatever is called. */
  #caughtFrom({ context, spot, held }: State): void {
    const thrown = this.#program.thrown(spot);
    if (typeof thrown === 'number') this.#arriveThrown(context, spot, thrown, held);
  }

  #arriveThrown(context: Context, spot: Spot, pad: Spot, held: HeldId): void {
    if (!context.isRoot && held !== NOTHING_HELD) this.#requireClone(spot, [pad]);
    this.#arrive(context, pad, held, Result.unknown);
  }

  #throwsFrom(state: State, callee: Callee): void {
    this.#caughtFrom(state);
    const isOnlyThrowing = callee.kind === 'import' && neverReturns(callee.name);
    if (throwsItself(callee, this.#program.isCpp)) this.#throwPast(state, isOnlyThrowing);
  }

  #throwPast({ context, spot, held }: State, isOnlyThrowing = false): void {
    if (this.#program.thrown(spot) !== 'passes') return;
    // It is known beforehand that this call leaves the frame, and so isolation may end before it.
    if (context.isRoot && isOnlyThrowing && held !== NOTHING_HELD) this.#found.leaves.add(spot);
    else this.#throwOut(context, held);
  }

  #throwOut(context: Context, held: HeldId): void {
    if (context.thrown.has(held)) return;
    context.thrown.add(held);
    // Out of the first frame: who throws has no copies, and the next section begins anew.
    for (const caller of context.callers) this.#catch(caller, held);
  }

  #catch({ context, spot }: Caller, held: HeldId): void {
    const thrown = this.#program.thrown(spot);
    if (typeof thrown === 'number') this.#arriveThrown(context, spot, thrown, held);
    else if (thrown === 'passes') this.#throwOut(context, held);
  }
}

const newContext = (start: Spot, held: HeldId, isRoot: boolean): Context => ({
  ...{ start, held, isRoot, callers: [] },
  ...{ seen: new Set(), exits: new Map(), thrown: new Set() },
});

/** A call without anything after it is none: what it calls does not return. */
const isTail = (program: ProgramCode, spot: Spot): boolean => {
  const { flow } = program.instruction(spot);
  return flow !== FlowControl.Call && flow !== FlowControl.IndirectCall;
};
