/**
 * Whether what is in a register is used for anything from some place of a function on: its code is followed, through all
 * jumps, to where something else is put there. What nobody can see, such as a computed jump, counts as a use.
 *
 *   mov [rdi],eax
 *   test ecx,ecx
 *   je 1f
 *   mov eax,5         rax is replaced on this way,
 *   1: ret            but is what the function gives back on the other
 */
import { FlowControl, Mnemonic } from 'iced-x86';
import { ARGUMENTS, CALLER_SAVED, RAX, RDX, type RegisterSet, setOf } from './general-registers.ts';
import type { Instruction } from './instruction.ts';

/** What a function gives back. */
const RESULTS = setOf(RAX, RDX);

/** Whether one of the registers may be read from there on, before something else is in it. */
export function isReadLater(
  wanted: RegisterSet,
  from: number,
  instructions: readonly Instruction[],
): boolean {
  const places = new Map(instructions.map(({ address }, index) => [address, index]));
  const seen = new Map<number, RegisterSet>();
  const open: [number, RegisterSet][] = [[from, wanted]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, set] = next;
    const one = instructions[at];
    const known = seen.get(at) ?? 0;
    if (set === 0 || (set & ~known) === 0) continue;
    seen.set(at, known | set);
    if (one === undefined || (one.reads & set) !== 0) return true;
    if (givesNothingBack(at, instructions)) continue;
    switch (one.flow) {
      case FlowControl.Next:
        open.push([at + 1, set & ~one.replaces]);
        break;
      case FlowControl.Call:
      case FlowControl.IndirectCall:
        if ((set & ARGUMENTS & ~setOf(RAX)) !== 0) return true;
        open.push([at + 1, set & ~CALLER_SAVED]);
        break;
      case FlowControl.Return:
        if ((set & RESULTS) !== 0) return true;
        break;
      case FlowControl.ConditionalBranch:
        open.push([at + 1, set], [places.get(one.target) ?? instructions.length, set]);
        break;
      case FlowControl.UnconditionalBranch:
        open.push([places.get(one.target) ?? instructions.length, set]);
        break;
      default:
        return true;
    }
  }
  return false;
}

/** Without optimisation, gcc ends a function without a result like this: nop; pop rbp (or leave); ret. */
function givesNothingBack(at: number, instructions: readonly Instruction[]): boolean {
  const [idle, left, end] = instructions.slice(at, at + 3);
  return (
    idle?.mnemonic === Mnemonic.Nop &&
    idle.length === 1 &&
    (left?.mnemonic === Mnemonic.Pop || left?.mnemonic === Mnemonic.Leave) &&
    end?.flow === FlowControl.Return
  );
}
