import { describe, expect, it } from 'vitest';
import { assembledImage } from '../testdata/assembled.ts';
import { readEhFrame } from '../unwind/eh-frame.ts';
import { frameBases } from '../unwind/frame-bases.ts';
import { findFunctions } from './functions.ts';
import { StackFrame } from './stack-frame.ts';

/** Which of the function's memory operands are its own business. */
function privateOperands(body: string): boolean[] {
  const elf = assembledImage({ f: body });
  const [found] = findFunctions(elf, readEhFrame(elf).fdes);
  if (!found?.code.ok) throw new Error('refused');
  const frame = new StackFrame(found.code.value, frameBases(found.fde));
  return found.code.value.instructions.flatMap((instruction) =>
    instruction.memory
      .filter(({ place }) => place === 'memory')
      .map((operand) => frame.isPrivate(instruction, operand)),
  );
}

const FRAME = 'sub rsp,64\n.cfi_def_cfa_offset 72\n';

describe('a frame', () => {
  it('is private as long as nobody is given its address', () => {
    expect(
      privateOperands(`${FRAME}mov [rsp+8],rax\nmov rbx,[rsp+rcx*8]\nmov [rdi],rax\nud2`),
    ).toEqual([...[true, true, false]]);
  });

  it('is shared from the lowest address on that goes out', () => {
    const body = `${FRAME}lea rdi,[rsp+16]\nmov [rsp+8],rax\nmov [rsp+24],rax\nmov [rsp+rcx*8],rax\nud2`;
    expect(privateOperands(body)).toEqual([true, false, false]);
  });

  it('is shared as a whole if an address with an index goes out, or a sum', () => {
    expect(privateOperands(`${FRAME}lea rdi,[rsp+rcx*4+32]\nmov [rsp+8],rax\nud2`)).toEqual([
      false,
    ]);
    expect(privateOperands(`${FRAME}add rdi,rsp\nmov [rsp+8],rax\nud2`)).toEqual([false]);
  });

  it('goes out in rbp, unless that is the frame register', () => {
    expect(privateOperands(`${FRAME}mov rbp,rsp\nmov [rsp+8],rax\nmov rdi,rbp\nud2`)).toEqual([
      false,
    ]);
    const framed =
      'push rbp\n.cfi_def_cfa_offset 16\nmov rbp,rsp\n.cfi_def_cfa_register rbp\nmov [rbp-8],rax\nud2';
    expect(privateOperands(framed)).toEqual([true]);
  });
});
