import { describe, expect, it } from 'vitest';
import { assembled, assembledCode } from '../testdata/assembled.ts';
import { NO_REGISTER, RAX, RBX, RCX, RDI, RSI, setOf } from './general-registers.ts';
import { NOWHERE } from './instruction.ts';

const first = (body: string) => assembledCode(`${body}\nret`).instructions[0]!;

describe('instructions', () => {
  it('say which registers they read and write, and what is left of these', () => {
    expect(first('add [rbx+rcx*4+8],eax')).toMatchObject({
      reads: setOf(RAX, RBX, RCX),
      writes: 0,
      memory: [
        {
          base: RBX,
          index: RCX,
          scale: 4,
          displacement: 8,
          size: 4,
          isRead: true,
          isWritten: true,
        },
      ],
    });
    expect(first('mov eax,ebx')).toMatchObject({ replaces: setOf(RAX), reads: setOf(RBX) });
    // The rest of rax is still there.
    expect(first('mov al,bl')).toMatchObject({ replaces: 0, reads: setOf(RAX, RBX) });
    expect(first('cmove eax,ebx')).toMatchObject({ readsFlags: true });
  });

  it('replace flags only if they do so for certain', () => {
    expect(first('cmp eax,ebx').replacesFlags).toBe(true);
    expect(first('shl eax,3').replacesFlags).toBe(true);
    // By cl, which may be 0.
    expect(first('shl eax,cl').replacesFlags).toBe(false);
    expect(first('inc eax').replacesFlags).toBe(false);
    expect(first('repe cmpsb').replacesFlags).toBe(false);
  });

  it('point to addresses that may lie below the image', () => {
    const { relativeOperand, displacementAt } = first('cmp dword ptr [rip-0x100000],7');
    expect(relativeOperand).toBeLessThan(0);
    expect(relativeOperand).toBeGreaterThan(-0x100000);
    expect(displacementAt).toBe(2);
    expect(first('mov eax,[rbx]').relativeOperand).toBe(NOWHERE);
  });

  it('of strings have elements with a size, also if they are repeated', () => {
    expect(first('rep movsq')).toMatchObject({
      repetition: 'counted',
      memory: [
        { base: RDI, index: NO_REGISTER, size: 8, isRead: false, isWritten: true },
        { base: RSI, index: NO_REGISTER, size: 8, isRead: true, isWritten: false },
      ],
    });
    expect(first('repne scasb')).toMatchObject({ repetition: 'searching', memory: [{ size: 1 }] });
  });

  it('are the same when they come a second time, at another place', () => {
    const { instructions, start } = assembledCode(
      '1: lea rax,[rip+1b]\njmp 1b\nlea rax,[rip+1b]\njmp 1b',
    );
    expect(instructions.map(({ relativeOperand }) => relativeOperand)).toEqual([
      ...[start, NOWHERE, start, NOWHERE],
    ]);
    expect(instructions.map(({ target }) => target)).toEqual([NOWHERE, start, NOWHERE, start]);
  });
});

describe('functions are refused', () => {
  it.each([
    ['xbegin 1f\n1: ret', /a transaction at .* cannot be moved/],
    ['jmp fword ptr [rax]', /a far jump/],
    ['mov eax,[ecx]\nret', /an address of less than 64 bits/],
    ['xlatb\nret', /an address of less than 64 bits/],
    ['addr32 movsb\nret', /an address of less than 64 bits/],
    ['mov eax,[eip+7]\nret', /an address relative to eip/],
    ['.byte 0x06\nret', /no instruction/],
    ['jmp 1f+1\n1: mov eax,7\nret', /leads into an instruction/],
    ['call 1f\n1: pop rax\nret', /asks where it is/],
    ['call 1f\n1: mov rax,[rsp]\nret', /asks where it is/],
    ['.byte 0x48,0x8b,0x05\n.long 0x70000000\nret', /points far out of the image/],
  ])('for %s', (body, reason) => {
    expect(assembled(body)).toMatch(reason);
  });

  it('but not for a local subroutine, nor for an address of 32 bits that is only computed', () => {
    expect(typeof assembled('call 1f\nret\n1: inc eax\nret')).toBe('object');
    expect(typeof assembled('lea eax,[ecx+1]\nret')).toBe('object');
  });
});
