/**
 * Plans of critical sections without any analysis of what is inside: whoever calls pthread_mutex_lock begins one,
 * and all code of that function, and of all that it calls, is taken to be inside. Clones have to do the same as
 * their originals wherever they run; so this is what the rewriter is tested with beside the real plans.
 */
import { FlowControl } from 'iced-x86';
import { findFunctions } from '../../src/binary/code/functions.ts';
import { RSP } from '../../src/binary/code/general-registers.ts';
import type { Instruction } from '../../src/binary/code/instruction.ts';
import { StackFrame } from '../../src/binary/code/stack-frame.ts';
import type { ElfFile } from '../../src/binary/elf/elf-file.ts';
import { readImports } from '../../src/binary/elf/imports.ts';
import { imageAddress } from '../../src/binary/image-address.ts';
import { readEhFrame } from '../../src/binary/unwind/eh-frame.ts';
import { frameBases } from '../../src/binary/unwind/frame-bases.ts';
import { worksOnCopies } from '../../src/tolerate/memory-functions.ts';
import { lockCall } from '../../src/tolerate/sections/lock-calls.ts';
import type {
  InsideAction,
  SectionPart,
  SectionPlan,
} from '../../src/tolerate/sections/section-plan.ts';

export function naiveSections(elf: ElfFile): SectionPlan[] {
  const { stubs, slots } = readImports(elf);
  const found = findFunctions(elf, readEhFrame(elf).fdes).flatMap(({ fde, code }) =>
    code.ok ? [{ fde, code: code.value }] : [],
  );
  const starts = new Set(found.map(({ code }) => code.start));
  const nameOf = ({ target, relativeOperand, flow }: Instruction): string | undefined =>
    flow === FlowControl.Next
      ? undefined
      : (stubs.get(imageAddress(target)) ?? slots.get(imageAddress(relativeOperand)));
  const actionOf = (
    instruction: Instruction,
    frame: StackFrame,
    own: number,
  ): InsideAction | undefined => {
    const name = nameOf(instruction);
    const call = name === undefined ? undefined : lockCall(name);
    if (call?.does === 'lock') return { kind: 'lock', lock: call.kind, ifZero: call.ifZero };
    if (call?.does === 'unlock') return { kind: 'unlock', mayEnd: true };
    if (call?.does === 'wait') return { kind: 'wait' };
    if (name !== undefined && worksOnCopies(name)) return { kind: 'memory call', name };
    const { flow, target, memory, isAtomic } = instruction;
    const isOther = flow === FlowControl.Call || target !== own;
    if (flow !== FlowControl.Next && starts.has(target) && isOther) {
      return { kind: 'call', target, mayEnd: true };
    }
    if (flow !== FlowControl.Next) return undefined;
    if (isAtomic) return { kind: 'commit', why: 'atomic' };
    if (instruction.repetition !== 'none') return { kind: 'commit', why: 'string' };
    const operands = memory.flatMap((operand, number) =>
      operand.place === 'memory' && operand.base !== RSP && !frame.isPrivate(instruction, operand)
        ? [number]
        : [],
    );
    return operands.length === 0 ? undefined : { kind: 'redirect', operands };
  };
  const parts = found.map(({ fde, code }): SectionPart => {
    const frame = new StackFrame(code, frameBases(fde));
    const actions = new Map<number, InsideAction>();
    for (const instruction of code.instructions) {
      const action = actionOf(instruction, frame, code.start);
      if (action) actions.set(instruction.address, action);
    }
    const isInside = new Uint8Array(code.instructions.length).fill(1);
    return { code, frame: 'called', isInside, actions };
  });
  const entries = parts.flatMap(({ code }) =>
    code.instructions.flatMap((instruction) => {
      const name = nameOf(instruction);
      const call = name === undefined ? undefined : lockCall(name);
      const isEntry = call?.does === 'lock' && instruction.flow !== FlowControl.UnconditionalBranch;
      return isEntry ? [{ code, instruction, call }] : [];
    }),
  );
  return entries.map(({ code, instruction, call }, number): SectionPlan => {
    const { address, length } = instruction;
    const root = parts.find((part) => part.code === code)!;
    return {
      number: number + 1,
      entry: {
        ...{ code, address, next: address + length, ifZero: call.ifZero, kind: call.kind },
        ...{ lock: '?', lockAddress: undefined, wrapper: undefined },
      },
      facts: NOTHING_KNOWN,
      verdict: { isolate: true },
      parts: [{ ...root, frame: 'root' }, ...parts],
    };
  });
}

const NOTHING_KNOWN: SectionPlan['facts'] = {
  ...{
    libraryCalls: [],
    memoryCalls: [],
    computedCalls: 0,
    ownCalls: [],
    touchesInLoops: false,
    waits: false,
  },
  ...{
    nests: 'no',
    overlaps: false,
    leaves: true,
    candidates: 0,
    mostWords: undefined,
    instructions: 0,
  },
};
