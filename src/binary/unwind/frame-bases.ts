/**
 * Where a function's frame is while each of its instructions is about to run, by its call frame
 * instructions: a table of rows, of which `frameBases` finds the one for an address.
 *
 *   0x1149  rsp + 8       push rbp
 *   0x114a  rsp + 16      mov rbp,rsp
 *   0x114d  rbp + 16      …
 */
import { firstIndex } from '../../base/bisect.ts';
import type { FrameBase, FrameBases } from '../code/stack-frame.ts';
import { decodeCallFrame } from './call-frame-instructions.ts';
import { CallFrameState, type FrameRule } from './call-frame-state.ts';
import type { Fde } from './eh-frame.ts';

/** DWARF numbers registers in its own way: the processor's number of each. */
export const PROCESSOR_NUMBERS = [0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15];

interface Row {
  readonly from: number;
  readonly base: FrameBase | undefined;
}

export function frameBases(fde: Fde): FrameBases {
  const rows = rowsOf(fde);
  return (address) => rows[firstIndex(rows, ({ from }) => from > address) - 1]?.base;
}

function rowsOf(fde: Fde): Row[] {
  const state = new CallFrameState(fde);
  const rows: Row[] = [];
  let from: number = fde.start;
  for (const instruction of decodeCallFrame(fde)) {
    const { advance, location } = instruction;
    if (advance === undefined && location === undefined) state.take(instruction);
    else {
      rows.push({ from, base: baseOf(state.frame) });
      from = location ?? from + advance!;
    }
  }
  rows.push({ from, base: baseOf(state.frame) });
  return rows;
}

function baseOf(frame: FrameRule): FrameBase | undefined {
  if (frame === undefined || 'expression' in frame) return undefined;
  const register = PROCESSOR_NUMBERS[frame.register];
  return register === undefined ? undefined : { register, offset: frame.offset };
}
