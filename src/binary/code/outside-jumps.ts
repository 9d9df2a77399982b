/**
 * Where functions are entered by jumps from others: the rest of a function that was split, `f.cold`, goes back
 * into the middle of `f`.
 */
import { FlowControl } from 'iced-x86';
import { firstIndex } from '../../base/bisect.ts';
import type { FunctionCode } from './function-code.ts';
import { NOWHERE } from './instruction.ts';

/** For each function: addresses in it, without its start. */
export function outsideJumps(functions: readonly FunctionCode[]): Map<FunctionCode, Set<number>> {
  const inOrder = [...functions].sort((one, other) => one.start - other.start);
  const entered = new Map<FunctionCode, Set<number>>();
  for (const { instructions, jumps } of functions) {
    for (let place = 0; place < instructions.length; place++) {
      const { flow, target } = instructions[place]!;
      if (jumps[place]! >= 0 || target === NOWHERE || flow === FlowControl.Call) continue;
      const code = inOrder[firstIndex(inOrder, ({ start }) => start > target) - 1];
      if (code === undefined || target >= code.end || target === code.start) continue;
      const targets = entered.get(code);
      if (targets) targets.add(target);
      else entered.set(code, new Set([target]));
    }
  }
  return entered;
}
