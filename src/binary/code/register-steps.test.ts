import { describe, expect, it } from 'vitest';
import { assembledCode } from '../testdata/assembled.ts';
import { NO_REGISTER, RAX, RCX, type RegisterNumber } from './general-registers.ts';
import { NO_STEP, registerSteps } from './register-steps.ts';

const stepOf = (body: string, register: RegisterNumber = RAX) =>
  registerSteps(assembledCode(`${body}\nret`).instructions.slice(0, -1))[register];
const by = (constant: number, register = NO_REGISTER) => ({ constant, register });

describe('registers', () => {
  it.each([
    ['add rax,8', 8],
    ['add rax,-8', -8],
    ['add rax,100000', 100_000],
    ['sub rax,8', -8],
    ['sub rax,-128', 128],
    ['inc rax', 1],
    ['dec rax', -1],
    ['lea rax,[rax+16]', 16],
    ['lea rax,[rax-16]', -16],
    ['inc rax\nadd rax,2\nsub rax,5', -2],
  ])('move by constants: %s', (body, step) => expect(stepOf(body)).toEqual(by(step)));

  it('move by others that stay as they are', () => {
    expect(stepOf('add rax,rcx')).toEqual(by(0, RCX));
    expect(stepOf('add rax,rcx\nadd rax,4')).toEqual(by(4, RCX));
    expect(stepOf('add rax,rcx\ninc rcx')).toBeUndefined();
    expect(stepOf('add rax,rax')).toBeUndefined();
    expect(stepOf('add rax,rcx\nadd rax,rdx')).toBeUndefined();
  });

  it('stay as they are if nothing writes them', () => {
    expect(stepOf('cmp rax,5\ntest al,al\nmov rcx,rax\nmov [rax],rax')).toBe(NO_STEP);
  });

  it.each([
    ...['add eax,8', 'inc eax', 'dec al', 'add ax,cx', 'lea eax,[rax+8]', 'lea rax,[rcx+8]'],
    ...['lea rax,[rax+rcx+8]', 'lea rax,[rax*2]', 'add rax,[rcx]', 'sub rax,rcx', 'adc rax,1'],
    ...['mov rax,[rax]', 'xadd rcx,rax', 'cmovb rax,rcx', 'mul rcx', 'inc rax\nmov al,1', 'lodsb'],
  ])('go nobody knows where: %s', (body) => expect(stepOf(body)).toBeUndefined());
});
