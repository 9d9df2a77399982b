import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOWHERE } from '../../../binary/code/instruction.ts';
import { type RegisterValues, touchedMemory } from '../../../binary/code/touched-memory.ts';
import { parseElf } from '../../../binary/elf/elf-file.ts';
import { programKind } from '../../../binary/elf/program-kind.ts';
import { registerValues } from '../../../debugger/touched-at.ts';
import { pid, type Tid } from '../../../linux/ids.ts';
import { programEntry } from '../../../linux/loader.ts';
import { PLAIN_INHERITANCE } from '../../../linux/own-inheritance.ts';
import { readRegisters, resume } from '../../../linux/ptrace.ts';
import { startProgram } from '../../../linux/start-traced.ts';
import { nextStop } from '../../../linux/tracee-stop.ts';
import { type Expression, FS, GS, IMAGE, NOTHING } from './expression.ts';
import type { PlannedAccess } from './extension-plan.ts';
import { SampledImage } from './sampled-image.ts';

const source = join(dirname(fileURLToPath(import.meta.url)), '../testdata/varied-accesses.c');
const MOST_STEPS = 4000;
/** For what is repeated, each time is a step. */
const LONGEST_SEARCH = 200;

interface Step {
  /** Of the image. */
  readonly address: number;
  readonly values: RegisterValues;
}

interface SteppedProgram {
  readonly image: SampledImage;
  readonly base: number;
  readonly steps: readonly Step[];
}

function compiledProgram(options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-extension-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'varied');
  const always = ['-nostdlib', '-fno-stack-protector', '-fno-builtin', '-ftls-model=local-exec'];
  execFileSync('gcc', [...always, ...options, source, '-o', path], { stdio: 'pipe' });
  return path;
}

/** From its first instruction to its last, one by one. */
function stepped(path: string): SteppedProgram {
  const elf = parseElf(readFileSync(path));
  const program = { path, args: ['varied'], environment: [], inheritance: PLAIN_INHERITANCE };
  const { task } = startProgram(program, () => {});
  const entry = Number(programEntry(pid(task))!);
  const base = programKind(elf).isPositionIndependent ? entry - elf.header.entry : 0;
  const steps: Step[] = [];
  while (steps.length < MOST_STEPS) {
    resume(task, 'one-step');
    if (nextStop(task)?.stop.kind !== 'signal') break;
    const registers = readRegisters(task);
    const address = Number(registers.get('rip')) - base;
    steps.push({ address, values: registerValues(registers.copy()) });
  }
  letEnd(task);
  return { image: new SampledImage(path, 'id', elf), base, steps };
}

function letEnd(task: Tid): void {
  for (let isThere = true; isThere; ) {
    resume(task, 'freely');
    isThere = nextStop(task)?.stop.kind === 'exiting';
  }
}

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
    const tally = compared(stepped(compiledProgram(options)));
    expect(tally.wrong.slice(0, 10)).toEqual([]);
    expect(tally.own).toBeGreaterThan(500);
    expect((tally.own + tally.others) / tally.own).toBeGreaterThan(2);
  });
});
