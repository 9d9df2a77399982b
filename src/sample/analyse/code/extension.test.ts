import { describe, expect, it } from 'vitest';
import { NOWHERE } from '../../../binary/code/instruction.ts';
import { type RegisterValues, touchedMemory } from '../../../binary/code/touched-memory.ts';
import { type Step, type SteppedProgram, steppedSource } from '../testdata/stepped-program.ts';
import { type Expression, FS, GS, IMAGE, NOTHING } from './expression.ts';
import type { PlannedAccess } from './extension-plan.ts';

/** For what is repeated, each time is a step. */
const LONGEST_SEARCH = 200;

function evaluated(
  { base, index, scale, constant }: Expression,
  { general, fsBase, gsBase }: RegisterValues,
  imageBase: number,
): bigint {
  const special = new Map([
    [FS, fsBase],
    [GS, gsBase],
    [NOTHING, 0n],
    [IMAGE, BigInt(imageBase)],
  ]);
  const value = (register: number): bigint => special.get(register) ?? general(register);
  return BigInt.asUintN(64, value(base) + value(index) * BigInt(scale) + BigInt(constant));
}

/** The step at which the plan's instruction was executed: where it says, unless something was repeated. */
function stepOf(steps: readonly Step[], from: number, planned: PlannedAccess): Step | undefined {
  const direction = Math.sign(planned.distance);
  for (let at = from + planned.distance; ; at += direction) {
    const step = steps[at];
    if (step === undefined || step.address === planned.instruction.address) return step;
    if (direction === 0 || Math.abs(at - from) > LONGEST_SEARCH) return undefined;
  }
}

interface Tally {
  own: number;
  others: number;
  readonly wrong: string[];
}

function compared({ image, base, steps }: SteppedProgram): Tally {
  const tally: Tally = { own: 0, others: 0, wrong: [] };
  const plans = new Map<number, PlannedAccess[]>();
  for (const [at, { address, values }] of steps.entries()) {
    const plan = plans.get(address) ?? image.planAt(address);
    plans.set(address, plan);
    for (const planned of plan) {
      const { instruction, operand, distance } = planned;
      const step = stepOf(steps, at, planned);
      // The program has ended, or was not followed so far.
      if (step === undefined && at + distance >= steps.length) continue;
      const told = evaluated(planned.address, values, base);
      const touched = step && touchedMemory(instruction, step.values);
      // Addresses relative to the instruction are those of the image.
      const isRelative = instruction.relativeOperand !== NOWHERE;
      const isRight = touched?.some(
        (one) => BigInt.asUintN(64, one.address + (isRelative ? BigInt(base) : 0n)) === told,
      );
      if (!isRight) {
        const what = `operand ${operand} of 0x${instruction.address.toString(16)}`;
        tally.wrong.push(`at 0x${address.toString(16)}: ${what}, 0x${told.toString(16)}`);
      }
      if (distance === 0) tally.own++;
      else tally.others++;
    }
  }
  return tally;
}

describe('what a sample tells of the instructions around it', () => {
  it.each([
    [['-O0', '-static-pie']],
    [['-O2', '-static-pie']],
    [['-O3', '-static']],
    [['-Os', '-no-pie']],
  ])('is what they touch when it is stepped through, compiled with %j', (options) => {
    const tally = compared(steppedSource('varied-accesses.c', options));
    expect(tally.wrong.slice(0, 10)).toEqual([]);
    expect(tally.own).toBeGreaterThan(500);
    expect((tally.own + tally.others) / tally.own).toBeGreaterThan(2);
  });
});
