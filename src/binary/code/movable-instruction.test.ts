import { describe, expect, it } from 'vitest';
import { assembledCode } from '../testdata/assembled.ts';
import { decode } from './decode.ts';
import { type MovedInstruction, movableInstruction } from './movable-instruction.ts';

/** The first instruction of a function, and its copy so far behind it. */
function movedBy(body: string, distance: number): { moved: MovedInstruction; start: number } {
  const { bytes, start } = assembledCode(`${body}\nret`);
  const movable = movableInstruction(bytes, start);
  if (!movable.ok) throw new Error(movable.error);
  return { moved: movable.value.copyFor(BigInt(start + distance))!, start };
}

const decoded = (bytes: Uint8Array, address: number) => {
  const result = decode(bytes, address);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

describe('an instruction that is run elsewhere', () => {
  it('goes on behind where it was', () => {
    const { moved, start } = movedBy('mov [rbx+8],rax', 0x4000_0000);
    const [copy, jump] = decoded(moved.code, start + 0x4000_0000);
    expect(copy).toMatchObject({ length: 4, memory: [{ displacement: 8, isWritten: true }] });
    expect(jump).toMatchObject({ target: start + 4 });
    expect(moved.places).toEqual([
      { at: 0, address: BigInt(start), pushed: 0 },
      { at: 4, address: BigInt(start + 4), pushed: 0 },
    ]);
  });

  it.each([0x4000_0000, -0x1000])('touches the same memory, from %d away', (distance) => {
    const { moved, start } = movedBy('add dword ptr [rip+0x2000],7', distance);
    const [copy] = decoded(moved.code, start + distance);
    expect(copy?.relativeOperand).toBe(start + 7 + 0x2000);
  });

  it('returns from a call to where it would have', () => {
    const { moved, start } = movedBy('call [rip+0x2000]', 0x1000_0000);
    const place = start + 0x1000_0000;
    const [push, jump] = decoded(moved.code.subarray(0, 12), place);
    const after = Buffer.from(moved.code).readBigUInt64LE(push!.relativeOperand - place);
    expect(after).toBe(BigInt(start + 6));
    expect(jump?.relativeOperand).toBe(start + 6 + 0x2000);
    expect(moved.places[1]).toEqual({ at: 6, address: BigInt(start), pushed: 8 });
  });

  it('calls what it called', () => {
    const { moved, start } = movedBy('call .+0x100', 0x1000_0000);
    const [push, jump] = decoded(moved.code.subarray(0, 11), start + 0x1000_0000);
    expect(jump?.target).toBe(start + 0x100);
    const at = push!.relativeOperand - (start + 0x1000_0000);
    expect(Buffer.from(moved.code).readBigUInt64LE(at)).toBe(BigInt(start + 5));
  });

  it('calls with any prefixes', () => {
    const { moved, start } = movedBy('call [r12+r13*8+64]', 0x1000_0000);
    const [, jump] = decoded(moved.code.subarray(0, 6 + 5), start + 0x1000_0000);
    expect(jump).toMatchObject({ memory: [{ base: 12, index: 13, scale: 8, displacement: 64 }] });
  });

  it('may be too far away', () => {
    const { bytes, start } = assembledCode('mov eax,[rip+0x2000]\nret');
    const movable = movableInstruction(bytes, start);
    expect(movable.ok && movable.value.copyFor(BigInt(start) + (1n << 31n))).toBeUndefined();
    expect(movable.ok && movable.value.copyFor(0x7fff_f7c0_0000n)).toBeUndefined();
  });

  it.each(['jz .+16', 'call [rsp+8]', 'jmp .+32', 'syscall'])('cannot be %s', (body) => {
    const { bytes, start } = assembledCode(`${body}\n.fill 40,1,0x90\nret`);
    expect(movableInstruction(bytes, start)).toMatchObject({ ok: false });
  });
});
