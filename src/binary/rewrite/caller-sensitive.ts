/**
 * Calls that must come from the image itself: the loader looks at the return address to know on whose behalf it
 * searches. From a clone, `dlsym(RTLD_NEXT, …)` fails with "RTLD_NEXT used in code not dynamically loaded". So
 * where a clone comes to such a call, it goes on in the original.
 *
 *   find:  jmp dlsym@plt       a tail call: the loader sees who has called `find`, so that is such a call, too
 */
import { FlowControl } from 'iced-x86';
import type { FunctionCode } from '../code/function-code.ts';
import type { Instruction } from '../code/instruction.ts';
import type { Imports } from '../elf/imports.ts';
import { imageAddress } from '../image-address.ts';

const LOOKING_AT_CALLERS: ReadonlySet<string> = new Set(['dlopen', 'dlmopen', 'dlsym', 'dlvsym']);

export function callerSensitive(
  functions: readonly FunctionCode[],
  { stubs, slots }: Imports,
): (instruction: Instruction) => boolean {
  const names = [...stubs.values(), ...slots.values()];
  if (!names.some((name) => LOOKING_AT_CALLERS.has(name))) return () => false;
  const passingOn = new Set<number>();
  const isCallOf = ({ target, relativeOperand, flow }: Instruction): boolean => {
    if (flow === FlowControl.Next || flow === FlowControl.ConditionalBranch) return false;
    const name = stubs.get(imageAddress(target)) ?? slots.get(imageAddress(relativeOperand));
    return passingOn.has(target) || (name !== undefined && LOOKING_AT_CALLERS.has(name));
  };
  const isJump = ({ flow }: Instruction): boolean =>
    flow === FlowControl.UnconditionalBranch || flow === FlowControl.IndirectBranch;
  for (let found = -1; found !== passingOn.size; ) {
    found = passingOn.size;
    for (const { start, instructions } of functions) {
      if (instructions.some((one) => isJump(one) && isCallOf(one))) passingOn.add(start);
    }
  }
  return isCallOf;
}
