import { describe, expect, it } from 'vitest';
import { assembledCode } from '../testdata/assembled.ts';
import { RAX, RBX, RCX, RDI, RSI, setOf } from './general-registers.ts';
import { handovers } from './handovers.ts';
import { liveFlags, liveRegisters } from './liveness.ts';

const R10 = 10;
const R11 = 11;
const isAlive = (body: string, register: number, place = 0): boolean =>
  (liveRegisters(assembledCode(body))[place]! & setOf(register)) !== 0;

describe('registers', () => {
  it('are dead if they are about to be replaced', () => {
    expect(isAlive('mov rax,[rdi]\nadd rax,rsi\nret', RAX)).toBe(false);
    expect(isAlive('mov rax,[rdi]\nadd rax,rsi\nret', RSI)).toBe(true);
    expect(isAlive('mov al,[rdi]\nret', RAX)).toBe(true);
    expect(isAlive('test edi,edi\ncmove ecx,edi\nmov eax,ecx\nret', RCX)).toBe(true);
  });

  it('are alive at a return unless the function has written them, as a caller may know', () => {
    expect(isAlive('mov eax,[rdi]\nret', R10)).toBe(true);
    expect(isAlive('mov r10,[rdi]\nmov eax,[r10]\nret', R10)).toBe(false);
    expect(isAlive('mov eax,[rdi]\npush rbx\nmov ebx,1\npop rbx\nret', RBX)).toBe(true);
  });

  it('are alive around a loop, and where a computed jump may lead', () => {
    expect(isAlive('1: mov eax,[rdi]\nadd ecx,eax\ndec esi\njnz 1b\nmov eax,ecx\nret', RCX)).toBe(
      true,
    );
    expect(isAlive('mov r11,1\nmov eax,[rdi]\njmp [rdi+rax*8]', R11, 1)).toBe(true);
  });

  it('that hold arguments are alive before a call', () => {
    expect(isAlive('mov eax,[rdx]\ncall [rip+0]\nret', RDI)).toBe(true);
    expect(isAlive('mov r11,1\nmov eax,[rdx]\ncall [rip+0]\nmov r11,2\nret', R11, 1)).toBe(false);
  });
});

describe('flags', () => {
  const flags = (body: string): number[] => [...liveFlags(assembledCode(body))].slice(0, -1);

  it('are alive until they are replaced', () => {
    expect(flags('cmp edi,esi\nmov eax,[rdi]\nje 1f\ninc eax\n1: ret')).toEqual([0, 1, 1, 0, 0]);
    expect(flags('mov eax,[rdi]\nadc eax,1\nret')).toEqual([1, 1, 0]);
    // An increment leaves the carry.
    expect(flags('inc eax\nmov eax,[rdi]\nsetc al\nret')).toEqual([1, 1, 1, 0]);
    expect(flags('mov eax,[rdi]\nshl eax,cl\nsetz al\nret')).toEqual([1, 1, 1, 0]);
  });
});

describe('what functions hand over', () => {
  it('beside the calling convention is seen from both sides', () => {
    const callee = { ...assembledCode('mov rcx,r11\nmov eax,[rdi]\nshr rcx\nmov eax,[rsi]\nret') };
    const caller = assembledCode('mov r11,rdi\nmov eax,[rdi]\ncall 1f\njc 1f\nmov rax,rcx\n1: ret');
    // As if the call led to the other one.
    const start = 0x10_0000;
    const moved = { ...callee, start };
    const instructions = caller.instructions.map((one, place) =>
      place === 2 ? { ...one, target: start } : one,
    );
    const { registers, flags } = handovers([moved, { ...caller, instructions }]);
    expect(registers(caller).taken(start) & setOf(R11)).toBe(setOf(R11));
    expect(registers(moved).given & setOf(RCX)).toBe(setOf(RCX));
    expect(flags(moved).given).toBe(1);
    expect(liveRegisters(moved, registers(moved))[3]! & setOf(RCX)).toBe(setOf(RCX));
    expect(liveRegisters(callee)[3]! & setOf(RCX)).toBe(0);
    expect([liveFlags(moved, flags(moved))[3], liveFlags(callee)[3]]).toEqual([1, 0]);
  });
});
