/**
 * Which function calls which, as far as it stands in the code: direct calls and tail calls by the callee's
 * start, calls through the procedure linkage table or a slot of the global offset table by the name of what
 * is imported. Where a pointer is called, nobody can say who is, and so that is only counted.
 *
 *   main ─▶ { functions: work (0x1350), imports: pthread_create, pthread_join, printf; computed: 0 }
 */
import { FlowControl } from 'iced-x86';
import type { Imports } from '../elf/imports.ts';
import { imageAddress } from '../image-address.ts';
import type { FunctionCode } from './function-code.ts';
import type { Instruction } from './instruction.ts';

export interface Callees {
  /** By the addresses of their starts. */
  readonly functions: ReadonlySet<number>;
  readonly imports: ReadonlySet<string>;
  /** Calls through a pointer. */
  readonly computed: number;
}

/** By the address of each function's start. */
export function callGraph(
  functions: readonly FunctionCode[],
  { stubs, slots }: Imports,
): Map<number, Callees> {
  const starts = new Set(functions.map(({ start }) => start));
  const importOf = ({ target, relativeOperand }: Instruction): string | undefined =>
    stubs.get(imageAddress(target)) ?? slots.get(imageAddress(relativeOperand));
  return new Map(functions.map((code) => [code.start, calleesOf(code, starts, importOf)]));
}

function calleesOf(
  code: FunctionCode,
  starts: ReadonlySet<number>,
  importOf: (instruction: Instruction) => string | undefined,
): Callees {
  const functions = new Set<number>();
  const imports = new Set<string>();
  let computed = 0;
  for (const instruction of code.instructions) {
    if (!leaves(code, instruction)) continue;
    const name = importOf(instruction);
    if (name !== undefined) imports.add(name);
    else if (starts.has(instruction.target)) functions.add(instruction.target);
    else if (instruction.flow === FlowControl.IndirectCall) computed++;
  }
  return { functions, imports, computed };
}

/** A call, or a jump out of the function: a tail call. */
function leaves(code: FunctionCode, { flow, target }: Instruction): boolean {
  switch (flow) {
    case FlowControl.Call:
    case FlowControl.IndirectCall:
    case FlowControl.IndirectBranch:
      return true;
    case FlowControl.UnconditionalBranch:
    case FlowControl.ConditionalBranch:
      return !code.places.has(target);
    default:
      return false;
  }
}
