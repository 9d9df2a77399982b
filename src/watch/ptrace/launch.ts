/** Starts a program that is watched from its first instruction on, when the loader is done. */
import { tid } from '../../linux/ids.ts';
import { type Program, startProgram } from '../../linux/start-traced.ts';
import { PtraceTarget, type TargetOptions } from './ptrace-target.ts';

/** If we end, so does the program. */
export async function launchTarget(
  program: Program,
  options: TargetOptions = {},
): Promise<PtraceTarget> {
  const { task } = startProgram(program, () => {});
  const target = new PtraceTarget(tid(task), options);
  await target.untilReady();
  return target;
}
