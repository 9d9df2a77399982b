/** A program of this folder, compiled and run instruction by instruction: what a processor does with its registers. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { RegisterValues } from '../../../binary/code/touched-memory.ts';
import { parseElf } from '../../../binary/elf/elf-file.ts';
import { programKind } from '../../../binary/elf/program-kind.ts';
import { registerValues } from '../../../debugger/touched-at.ts';
import { pid, type Tid } from '../../../linux/ids.ts';
import { programEntry } from '../../../linux/loader.ts';
import { PLAIN_INHERITANCE } from '../../../linux/own-inheritance.ts';
import { readRegisters, resume } from '../../../linux/ptrace.ts';
import { startProgram } from '../../../linux/start-traced.ts';
import { nextStop } from '../../../linux/tracee-stop.ts';
import { SampledImage } from '../code/sampled-image.ts';

const MOST_STEPS = 6000;

export interface Step {
  /** Of the image. */
  readonly address: number;
  readonly values: RegisterValues;
}

export interface SteppedProgram {
  readonly image: SampledImage;
  readonly base: number;
  readonly steps: readonly Step[];
}

/** `source`: a file beside this one, that needs no library. */
export function steppedSource(source: string, options: readonly string[]): SteppedProgram {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-stepped-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stepped');
  const from = join(dirname(fileURLToPath(import.meta.url)), source);
  const always = ['-nostdlib', '-fno-stack-protector', '-fno-builtin', '-ftls-model=local-exec'];
  execFileSync('gcc', [...always, ...options, from, '-o', path], { stdio: 'pipe' });
  return stepped(path);
}

/** From its first instruction to its last, one by one. */
function stepped(path: string): SteppedProgram {
  const elf = parseElf(readFileSync(path));
  const program = { path, args: ['stepped'], environment: [], inheritance: PLAIN_INHERITANCE };
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
