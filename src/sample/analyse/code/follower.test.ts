import { describe, expect, it } from 'vitest';
import { type Step, type SteppedProgram, steppedSource } from '../testdata/stepped-program.ts';
import { FollowedRegisters } from './followed-registers.ts';
import { FollowedFunction, MOST_STEPS, NO_PLACE } from './follower.ts';
import type { SampledFunction } from './sampled-function.ts';

const asSigned = (value: bigint): number => Number(BigInt.asIntN(64, value));
const EXACT = 2n ** 53n;
const isExact = (value: bigint): boolean =>
  BigInt.asIntN(64, value) < EXACT && BigInt.asIntN(64, value) > -EXACT;

function registersOf({ values }: Step, base: number): FollowedRegisters {
  const registers = new FollowedRegisters();
  for (let number = 0; number < 16; number++) {
    const value = values.general(number);
    registers.values[number] = isExact(value) ? asSigned(value) : Number.NaN;
  }
  registers.imageBase = base;
  registers.fsBase = Number(values.fsBase);
  registers.gsBase = Number(values.gsBase);
  return registers;
}

interface Tally {
  followed: number;
  jumps: number;
  touches: number;
  /** Registers that were known, and were what the processor had. */
  right: number;
  readonly wrong: string[];
}

/** From each step on, as if a sample stood there, with all that came of it beside what the processor did. */
function compared({ image, base, steps }: SteppedProgram): Tally {
  const processor = steps.map((step) => registersOf(step, base));
  const tally: Tally = { followed: 0, jumps: 0, touches: 0, right: 0, wrong: [] };
  const functions = new Map<SampledFunction, FollowedFunction>();
  for (const [start, step] of steps.entries()) {
    const sampled = image.functionAt(step.address);
    if (sampled === undefined) continue;
    const followed =
      functions.get(sampled) ?? new FollowedFunction(sampled, (_, operand) => operand);
    functions.set(sampled, followed);
    const registers = registersOf(step, base);
    let place = followed.placeOf(step.address);
    for (let at = start; at < start + MOST_STEPS && at < steps.length; at++) {
      const there = { address: steps[at]!.address, registers: processor[at]! };
      compareStep({ sampled, followed, place, registers }, there, tally);
      const next = followed.follow(place, registers);
      if (next === NO_PLACE) break;
      tally.followed++;
      if (followed.asks(place)) tally.jumps++;
      place = next;
    }
  }
  return tally;
}

interface Followed {
  readonly sampled: SampledFunction;
  readonly followed: FollowedFunction;
  readonly place: number;
  readonly registers: FollowedRegisters;
}

function compareStep(
  { sampled: { code }, followed, place, registers }: Followed,
  processor: { readonly address: number; readonly registers: FollowedRegisters },
  tally: Tally,
): void {
  const instruction = code.instructions[place]!;
  const where = `0x${processor.address.toString(16)}`;
  if (instruction.address !== processor.address) {
    tally.wrong.push(`at 0x${instruction.address.toString(16)} instead of ${where}`);
    return;
  }
  for (const [number, known] of registers.values.entries()) {
    if (Number.isNaN(known)) continue;
    if (known === processor.registers.values[number]) tally.right++;
    else tally.wrong.push(`register ${number} at ${where}: ${known}`);
  }
  for (const { address } of followed.touches(place)) {
    const told = address(registers);
    if (Number.isNaN(told)) continue;
    tally.touches++;
    if (told !== address(processor.registers)) tally.wrong.push(`touches ${told} at ${where}`);
  }
}

describe('a sample that is followed', () => {
  it.each([
    [['-O1', '-static-pie']],
    [['-O2', '-static-pie']],
    [['-O3', '-static']],
    [['-Os', '-no-pie']],
  ])('goes where the program goes, with the registers that it has, compiled with %j', (options) => {
    const loops = compared(steppedSource('followed-loops.c', options));
    expect(loops.wrong.slice(0, 10)).toEqual([]);
    expect(loops.jumps).toBeGreaterThan(1000);
    expect(loops.touches).toBeGreaterThan(1000);
    const varied = compared(steppedSource('varied-accesses.c', options));
    expect(varied.wrong.slice(0, 10)).toEqual([]);
    expect(varied.followed).toBeGreaterThan(1000);
  });
});
