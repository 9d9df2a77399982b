/**
 * What can be said of whole functions, with all that they call, before any section is looked at: whether they
 * have to do with locks at all (most do not, and then it does not matter which are held), whether they return,
 * and whether exceptions come out of them.
 */

import { tellProgress } from '../../base/progress.ts';
import { leavingBy, mayThrow, neverReturns } from './known-imports.ts';
import { lockCall } from './lock-calls.ts';
import type { Callee, ProgramCode, ProgramFunction, Spot } from './program-code.ts';

export interface FunctionFacts {
  readonly isNeutral: (of: ProgramFunction) => boolean;
  readonly mayReturn: (of: ProgramFunction) => boolean;
  readonly mayThrow: (of: ProgramFunction) => boolean;
  /** Neither: it ends the program, or its thread. */
  readonly neverComesBack: (of: ProgramFunction) => boolean;
  /** A function's own calls. */
  readonly calls: (of: ProgramFunction) => readonly OwnCall[];
  /** Where a function is called directly. */
  readonly callersOf: (of: ProgramFunction) => readonly OwnCall[];
  /** Calls of functions that take locks, in the order of their addresses. */
  readonly lockSites: readonly Spot[];
}

/** A call or a jump from one function to another. */
export interface OwnCall {
  readonly from: ProgramFunction;
  readonly to: ProgramFunction;
  readonly spot: Spot;
  readonly isCall: boolean;
}

interface Found {
  readonly calls: OwnCall[];
  hasLocks: boolean;
  returns: boolean;
  throws: boolean;
}

export function functionFacts(program: ProgramCode): FunctionFacts {
  const lockSites: Spot[] = [];
  const found = new Map<ProgramFunction, Found>();
  const callers = new Map<ProgramFunction, OwnCall[]>();
  for (const [place, one] of program.functions.entries()) {
    tellProgress('functions searched for locks', place, program.functions.length);
    const facts = lookThrough(program, one, lockSites);
    found.set(one, facts);
    for (const call of facts.calls) {
      const known = callers.get(call.to);
      if (known) known.push(call);
      else callers.set(call.to, [call]);
    }
  }
  const callersOf = (of: ProgramFunction): readonly OwnCall[] => callers.get(of) ?? [];
  const spread = (holds: (facts: Found) => boolean, passes: (call: OwnCall) => boolean) => {
    const has = new Set(program.functions.filter((one) => holds(found.get(one)!)));
    // What is added while it goes through is gone through as well.
    for (const one of has) {
      for (const call of callersOf(one)) if (passes(call)) has.add(call.from);
    }
    return has;
  };
  const withLocks = spread(
    ({ hasLocks }) => hasLocks,
    () => true,
  );
  const returning = spread(
    ({ returns }) => returns,
    ({ isCall }) => !isCall,
  );
  const throwing = spread(
    ({ throws }) => throws,
    ({ spot, isCall }) => !isCall || program.thrown(spot) === 'passes',
  );
  return {
    isNeutral: (of) => !withLocks.has(of),
    mayReturn: (of) => returning.has(of),
    mayThrow: (of) => throwing.has(of),
    neverComesBack: (of) => !returning.has(of) && !throwing.has(of),
    calls: (of) => found.get(of)!.calls,
    callersOf,
    lockSites,
  };
}

function lookThrough(program: ProgramCode, one: ProgramFunction, lockSites: Spot[]): Found {
  const facts: Found = { calls: [], hasLocks: false, returns: false, throws: false };
  const { first, code } = one;
  for (let spot = first; spot < first + code.instructions.length; spot++) {
    const flow = program.flow(spot);
    if (flow.kind === 'returns') facts.returns = true;
    if (flow.kind === 'goes') addJumps(program, one, spot, flow.to, facts.calls);
    if (flow.kind !== 'calls') continue;
    const { callee, next } = flow;
    if (callee.kind === 'function') {
      const to = program.functionOf(callee.spot);
      facts.calls.push({ from: one, to, spot, isCall: next !== undefined });
    } else if (next === undefined && returns(callee)) facts.returns = true;
    if (throwsItself(callee, program.isCpp) && program.thrown(spot) === 'passes')
      facts.throws = true;
    if (callee.kind !== 'import') continue;
    const lock = lockCall(callee.name);
    if (lock?.does === 'lock' || lock?.does === 'unlock') facts.hasLocks = true;
    if (lock?.does === 'lock') lockSites.push(spot);
    // These need to be met by whoever goes through a section.
    if (leavingBy(callee.name) !== undefined) facts.hasLocks = true;
  }
  return facts;
}

function addJumps(
  program: ProgramCode,
  from: ProgramFunction,
  spot: Spot,
  targets: readonly Spot[],
  calls: OwnCall[],
): void {
  const end = from.first + from.code.instructions.length;
  for (const target of targets) {
    if (target >= from.first && target < end) continue;
    calls.push({ from, to: program.functionOf(target), spot, isCall: false });
  }
}

const returns = (callee: Callee): boolean => callee.kind !== 'import' || !neverReturns(callee.name);

/** Whether an exception may come out of what is not a function of the program. */
export const throwsItself = (callee: Callee, isCpp: boolean): boolean =>
  callee.kind === 'import' ? mayThrow(callee.name) : callee.kind === 'computed' && isCpp;
