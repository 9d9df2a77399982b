import { describe, expect, it } from 'vitest';
import { assembledCode } from '../testdata/assembled.ts';
import { RBX, RCX, RDI, RSI } from './general-registers.ts';
import { overlap, tellsWhatItTouches, touchedMemory } from './touched-memory.ts';

const VALUES = new Map([
  [RBX, 0x5000n],
  [RCX, 3n],
  [RSI, 0x7000n],
  [RDI, 0x8000n],
]);

/** What the first instruction of a function touches, as `r 0x5014 4`. */
function touched(body: string, flags = 0n, values: ReadonlyMap<number, bigint> = VALUES): string[] {
  const [instruction] = assembledCode(`${body}\nret`).instructions;
  const found = touchedMemory(instruction!, {
    general: (register) => values.get(register) ?? 0n,
    fsBase: 0x100000n,
    gsBase: 0x200000n,
    flags,
  });
  return found.map(
    ({ address, size, isRead, isWritten }) =>
      `${isRead ? 'r' : ''}${isWritten ? 'w' : ''} 0x${address.toString(16)} ${size}`,
  );
}

describe('what an instruction is about to touch', () => {
  it('is told by its registers', () => {
    expect(touched('add dword ptr [rbx+rcx*4+8],eax')).toEqual(['rw 0x5014 4']);
    expect(touched('mov rax,[rbx-0x10]')).toEqual(['r 0x4ff0 8']);
    expect(touched('mov byte ptr [rcx*8],1')).toEqual(['w 0x18 1']);
    expect(touched('movups [rbx],xmm0')).toEqual(['w 0x5000 16']);
    expect(touched('lea rax,[rbx]')).toEqual([]);
    expect(touched('push qword ptr [rbx]')).toEqual(['r 0x5000 8']);
    expect(touched('call [rbx+8]')).toEqual(['r 0x5008 8']);
  });

  it('may be relative to the instruction, wherever the same one stood before', () => {
    const { start } = assembledCode('mov eax,[rip+0x1000]\nret');
    expect(touched('mov eax,[rip+0x1000]')).toEqual([`r 0x${(start + 6 + 0x1000).toString(16)} 4`]);
    const later = assembledCode('nop\nmov eax,[rip+0x1000]\nret');
    const [, instruction] = later.instructions;
    const [found] = touchedMemory(instruction!, {
      ...{ general: () => 0n, fsBase: 0n, gsBase: 0n, flags: 0n },
    });
    expect(Number(found!.address)).toBe(later.start + 7 + 0x1000);
  });

  it('may be relative to a segment', () => {
    expect(touched('mov rax,fs:[0x28]')).toEqual(['r 0x100028 8']);
    expect(touched('mov gs:[rbx],al')).toEqual(['w 0x205000 1']);
  });

  it('wraps around, as addresses do', () => {
    const values = new Map([[RBX, 0xffff_ffff_ffff_fff8n]]);
    expect(touched('mov eax,[rbx+16]', 0n, values)).toEqual(['r 0x8 4']);
  });

  it('of a string instruction is as long as it is repeated, up or down', () => {
    expect(touched('rep movsd').sort()).toEqual(['r 0x7000 12', 'w 0x8000 12']);
    expect(touched('rep stosb', 1n << 10n)).toEqual(['w 0x7ffe 3']);
    expect(touched('movsb').sort()).toEqual(['r 0x7000 1', 'w 0x8000 1']);
    expect(touched('rep movsb', 0n, new Map([[RCX, 0n]]))).toEqual([]);
    expect(touched('repne scasb')).toEqual(['r 0x8000 1']);
  });

  it.each([
    ['mov eax,[rbx]', true],
    ['call [rbx]', true],
    ['push rbx', false],
    ['mov eax,ebx', false],
    // Some of it may be left out, or be anywhere.
    ['vmaskmovps [rbx],ymm0,ymm1', false],
    ['vmovups [rbx]{k1},zmm0', false],
    ['vpgatherdd xmm0,[rbx+xmm1*4],xmm2', false],
  ])('can be told of %s: %s', (body, isTold) => {
    const { instructions, bytes } = assembledCode(`${body}\nret`);
    const [instruction] = instructions;
    expect(tellsWhatItTouches(instruction!, bytes.subarray(0, instruction!.length))).toBe(isTold);
  });
});

describe('two ranges', () => {
  it('overlap if they have a byte in common', () => {
    const at = (address: bigint, size: number) => ({ address, size });
    expect(overlap(at(8n, 8), at(12n, 4))).toBe(true);
    expect(overlap(at(8n, 4), at(12n, 4))).toBe(false);
    expect(overlap(at(12n, 4), at(8n, 4))).toBe(false);
    expect(overlap(at(0n, 100), at(50n, 1))).toBe(true);
  });
});
