/**
 * Calls that a stopped tracee is to make otherwise than it meant to, by way of its registers:
 *
 *   wait4(-1, …)      entered as wait4(14, …); at its end the register is -1 again
 *   wait4(-1, …)      not made at all: the answer is 0
 */
import type { Tid } from '../../linux/ids.ts';
import { readRegisters, writeRegisters } from '../../linux/ptrace.ts';

/** Arguments as they were passed, by index. */
export type PassedArguments = ReadonlyMap<number, bigint>;

/** It stands at the entry; what was there before. */
export function replaceArguments(
  task: Tid,
  instead: ReadonlyMap<number, number | bigint>,
): PassedArguments {
  const registers = readRegisters(task);
  const passed = new Map([...instead.keys()].map((at) => [at, registers.argument(at)]));
  for (const [at, value] of instead) registers.setArgument(at, value);
  writeRegisters(task, registers);
  return passed;
}

/** In the kernel's place, at the entry: the call is not made. */
export function answerCall(task: Tid, result: number): void {
  const registers = readRegisters(task);
  registers.set('orig_rax', -1);
  registers.set('rax', result);
  writeRegisters(task, registers);
}

/** At its end. */
export function changeResult(task: Tid, result: number): void {
  const registers = readRegisters(task);
  registers.set('rax', result);
  writeRegisters(task, registers);
}
