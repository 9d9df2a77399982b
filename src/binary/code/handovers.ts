/**
 * What functions of an image hand over to each other beside what the calling convention says. Compilers keep to
 * it, but those who write assembly do as they like:
 *
 *   halve:  mov rcx,r11        takes a number in r11,
 *           shr rcx            gives half of it in rcx,
 *           ret                and whether there was a rest in the carry
 *
 * Whoever calls `halve` must have r11 as it is until then; and `halve` must leave rcx and the flags as they are
 * from `shr` on. This is seen from direct calls: what the function reads before it writes it, and what its
 * callers read after the call.
 */
import { FlowControl } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';
import { CALLER_SAVED, RDX, type RegisterSet, setOf } from './general-registers.ts';
import { type Exchange, liveRegisters } from './liveness.ts';

export interface Handovers {
  readonly registers: (code: FunctionCode) => Exchange;
  /** 1 or 0, in the place of a set. */
  readonly flags: (code: FunctionCode) => Exchange;
}

export function handovers(functions: readonly FunctionCode[]): Handovers {
  const starts = new Set(functions.map(({ start }) => start));
  const linked = functions.map((code) => ({ code, links: linksOf(code, starts) }));
  return {
    registers: exchanges(linked, (code, given) => {
      const alive = liveRegisters(code, { taken: () => 0, given, elsewhere: 0 });
      return (place) => alive[place]!;
    }),
    flags: exchanges(linked, (code) => (place) => (asksForFlags(code, place) ? 1 : 0)),
  };
}

/** A direct call, or a jump, to the start of another function. */
interface Link {
  readonly place: number;
  readonly target: number;
  readonly isCall: boolean;
}

interface LinkedFunction {
  readonly code: FunctionCode;
  readonly links: readonly Link[];
}

function linksOf({ instructions }: FunctionCode, starts: ReadonlySet<number>): Link[] {
  const links: Link[] = [];
  for (let place = 0; place < instructions.length; place++) {
    const { flow, target } = instructions[place]!;
    if (flow === FlowControl.Next || !starts.has(target)) continue;
    links.push({ place, target, isCall: flow === FlowControl.Call });
  }
  return links;
}

/** What a function reads from some place on, before it writes it itself; `given` at its returns. */
type Wants = (code: FunctionCode, given: RegisterSet) => (place: number) => RegisterSet;

function exchanges(
  functions: readonly LinkedFunction[],
  wants: Wants,
): (code: FunctionCode) => Exchange {
  const taken = new Map<number, RegisterSet>();
  const given = new Map<number, RegisterSet>();
  let waiting = new Set(functions);
  const byStart = new Map(functions.map((one) => [one.code.start, one]));
  while (waiting.size > 0) {
    const next = new Set<LinkedFunction>();
    for (const { code, links } of waiting) {
      const returned = given.get(code.start) ?? 0;
      const wanted = wants(code, returned);
      taken.set(code.start, wanted(0));
      for (const { place, target, isCall } of links) {
        const before = given.get(target) ?? 0;
        const after = before | (isCall ? wanted(place + 1) : returned);
        if (after === before) continue;
        given.set(target, after);
        // Unless it is one of those that every function leaves to its caller, it has to be handed on.
        if ((after & ~before & HANDED_ON) !== 0) next.add(byStart.get(target)!);
      }
    }
    waiting = next;
  }
  return ({ start }) => ({
    taken: (target) => taken.get(target) ?? 0,
    given: given.get(start) ?? 0,
    elsewhere: undefined,
  });
}

/** Registers that are not the caller's own, or its result; for flags, the 1. */
const HANDED_ON = CALLER_SAVED & ~setOf(RDX);

/** Looked at in a straight line, as far as that goes: nobody hands over flags, and then jumps about. */
function asksForFlags({ instructions }: FunctionCode, from: number): boolean {
  for (let place = from; place < instructions.length; place++) {
    const { readsFlags, replacesFlags, flow } = instructions[place]!;
    if (readsFlags) return true;
    if (replacesFlags || flow !== FlowControl.Next) return false;
  }
  return false;
}
