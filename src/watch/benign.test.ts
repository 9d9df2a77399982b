import { describe, expect, it } from 'vitest';
import type { RegisterName } from '../linux/registers.ts';
import { benignReason } from './benign.ts';
import type { CaughtRace, CaughtSide } from './caught.ts';
import { codeInMemory } from './testdata/code-in-memory.ts';
import { watchedAccess } from './watched-access.ts';
import { touchedBy } from './watched-code.ts';

const DATA = 0x5000n;
const registers = { get: (name: RegisterName): bigint => (name === 'rdi' ? DATA : 0n) };

/** Two functions, each with one access through rdi that races: the first one, unless others are told. */
async function race(
  mine: string,
  theirs: string,
  before = '00',
  after = '00',
): Promise<CaughtRace> {
  const { functions, code } = codeInMemory({ f: `${mine}\nret`, g: `${theirs}\nret` });
  const sides = await Promise.all(
    functions.map(async (place): Promise<CaughtSide & { place: CaughtRace['held']['place'] }> => {
      const inside = (await code.functionOf(place))!;
      const instruction = inside.instructions.find(({ memory }) => memory.length > 0)!;
      const [operand] = instruction.memory;
      return {
        ...{ runner: 1, registers, place: { inside, instruction } },
        ...{ isStore: operand!.isWritten, isLoad: operand!.isRead },
        touched: touchedBy({ inside, instruction }, registers)[0],
      };
    }),
  );
  const [held, other] = [sides[0]!, sides[1]!];
  const access = watchedAccess(touchedBy(held.place, registers), 0)!;
  const bytes = (hex: string): Buffer => Buffer.from(hex.padEnd(access.size * 2, '0'), 'hex');
  const [was, is] = [bytes(before), bytes(after)];
  return { strategy: 'watchpoint', held, other, access, before: was, after: is };
}

const reason = async (...args: Parameters<typeof race>): Promise<string | undefined> =>
  benignReason(await race(...args));

describe('why a race may be harmless', () => {
  it('the same value', async () => {
    expect(await reason('mov eax,[rdi]', 'mov [rdi],eax', '07', '07')).toMatch(/same value/);
    expect(await reason('mov eax,[rdi]', 'mov [rdi],eax', '07', '08')).toBeUndefined();
    // The held one is about to write what its instruction says.
    const seven = 'mov dword ptr [rdi],7';
    expect(await reason(seven, 'mov [rdi],eax', '07', '07')).toMatch(/same value/);
    expect(await reason(seven, 'mov eax,[rdi]', '07', '07')).toMatch(/same value/);
    expect(await reason('mov [rdi],rcx', 'mov eax,[rdi]', '00', '00')).toMatch(/same value/);
    expect(await reason('mov [rdi],rdi', 'mov eax,[rdi]', '00', '00')).toBeUndefined();
    expect(await reason(seven, 'mov eax,[rdi]', '08', '08')).toBeUndefined();
    // Nobody knows what this will be.
    expect(await reason('mov [rdi],ch', 'mov eax,[rdi]', '00', '00')).toBeUndefined();
    expect(await reason('xor [rdi],eax', 'mov eax,[rdi]', '07', '07')).toBeUndefined();
  });

  it('the same value, if both are still about to write it', async () => {
    const meeting = async (mine: string, theirs: string): Promise<string | undefined> =>
      benignReason({ ...(await race(mine, theirs, '07', '07')), strategy: 'meeting' });
    const seven = 'mov dword ptr [rdi],7';
    expect(await meeting(seven, seven)).toMatch(/same value/);
    expect(await meeting(seven, 'mov dword ptr [rdi],8')).toBeUndefined();
    expect(await meeting(seven, 'mov byte ptr [rdi],7')).toBeUndefined();
  });

  it('both are atomic', async () => {
    const atomic = 'lock add dword ptr [rdi],1';
    expect(await reason(atomic, atomic, '01', '02')).toMatch(/atomic/);
    expect(await reason(atomic, 'xchg [rdi],eax', '01', '02')).toMatch(/atomic/);
    expect(await reason(atomic, 'mov [rdi],eax', '01', '02')).toBeUndefined();
  });

  it.each([
    ['test byte ptr [rdi],4', 'or byte ptr [rdi],8', true],
    ['test byte ptr [rdi],12', 'or byte ptr [rdi],8', false],
    ['test dword ptr [rdi],0x100', 'lock or byte ptr [rdi],8', true],
    ['bt dword ptr [rdi],5', 'btr dword ptr [rdi],6', true],
    ['bt dword ptr [rdi],5', 'btr dword ptr [rdi],5', false],
    ['test byte ptr [rdi],1', 'and byte ptr [rdi],0xfe', false],
    ['test byte ptr [rdi],2', 'and byte ptr [rdi],0xfe', true],
    ['test byte ptr [rdi+1],1', 'or dword ptr [rdi],0x200', true],
    ['test byte ptr [rdi+1],2', 'or dword ptr [rdi],0x200', false],
    // Each writes back what it has read of the other's.
    ['or byte ptr [rdi],4', 'or byte ptr [rdi],8', false],
  ])('different bits: %s, %s', async (mine, theirs, isHarmless) => {
    const told = await reason(mine, theirs, '00', 'ff');
    expect(told === 'they are about different bits of one flag word').toBe(isHarmless);
  });

  it('different bits, of which one is in a bit-field that is stored as a whole', async () => {
    expect(await reason('test byte ptr [rdi],4', 'mov [rdi],al', '00', '80')).toMatch(/bits/);
    expect(await reason('test byte ptr [rdi],4', 'mov [rdi],al', '00', '84')).toBeUndefined();
  });

  it.each([
    ['counts', 'inc dword ptr [rdi]', true],
    ['counts several', 'add qword ptr [rdi],64', true],
    ['counts down', 'dec dword ptr [rdi]', false],
    ['is read', 'inc dword ptr [rdi]\nmov eax,[rdi]', false],
    ['is read by another name', 'inc dword ptr [rdi]\nmov eax,[rsi]', false],
    ['is dropped as well', 'inc dword ptr [rdi]\ndec dword ptr [rdi]', false],
    ['is compared with nothing', 'inc dword ptr [rdi]\nje 1f\n1:', false],
    ['is alone with its flags', 'inc dword ptr [rdi]\nadd eax,ecx\nje 1f\n1:', true],
    ['is counted in steps', 'mov eax,[rdi]\nadd eax,1\nmov [rdi],eax\nmov eax,0', true],
    [
      'is counted in other steps',
      'mov rax,[rdi]\nlea rdx,[rax+1]\nmov [rdi],rdx\nmov eax,0\nmov edx,0',
      true,
    ],
    [
      'is counted without optimisation',
      'mov eax,[rdi]\ninc eax\nmov [rdi],eax\nnop\npop rbp',
      true,
    ],
    [
      'is counted in a loop',
      '1: mov eax,[rdi]\nadd eax,1\nmov [rdi],eax\ncmp rsi,rcx\njne 1b\nmov eax,1',
      true,
    ],
    ['is given back', 'mov eax,[rdi]\nadd eax,1\nmov [rdi],eax', false],
    [
      'is used before it is counted',
      'mov rax,[rdi]\nlea rdx,[rax+1]\nmov [rdi],rdx\nmov edx,0',
      false,
    ],
    ['is compared', 'mov eax,[rdi]\nadd eax,1\nmov [rdi],eax\ncmp eax,5\nmov eax,0', false],
    ['is told to others', 'mov esi,[rdi]\nadd esi,1\nmov [rdi],esi\ncall rcx\nmov eax,0', false],
    ['is counted down in steps', 'mov eax,[rdi]\nsub eax,1\nmov [rdi],eax\nmov eax,0', false],
    ['is put elsewhere', 'mov eax,[rdi]\nadd eax,1\nmov [rdi+8],eax\nmov eax,0', false],
    ['adds what it is told', 'add dword ptr [rdi],eax', false],
  ])('a counter that %s', async (_, code, isHarmless) => {
    const told = await reason(code, 'inc dword ptr [rdi]', '01', '02');
    expect(told?.startsWith('it looks like a statistics counter') ?? false).toBe(isHarmless);
  });

  it.each([
    ['xchg [rdi],eax', 'mov dword ptr [rdi],0', true],
    ['lock cmpxchg [rdi],ecx', 'mov [rdi],eax', true],
    ['lock bts dword ptr [rdi],0', 'mov byte ptr [rdi],0', true],
    ['mov dword ptr [rdi],0', 'xchg [rdi],eax', true],
    ['xchg [rdi],eax', 'mov dword ptr [rdi],5', false],
    ['lock add dword ptr [rdi],1', 'mov dword ptr [rdi],0', false],
    ['mov [rdi],ecx', 'mov dword ptr [rdi],0', false],
    ['cmpxchg [rdi],ecx', 'mov dword ptr [rdi],0', false],
  ])('the release of a lock: %s, %s', async (mine, theirs, isHarmless) => {
    const told = await reason(mine, theirs, '01', '00');
    expect(told?.startsWith('it looks like the release of a lock') ?? false).toBe(isHarmless);
  });

  it('of a change by nobody knows whom, nothing', async () => {
    const caught = await race('test byte ptr [rdi],4', 'or byte ptr [rdi],8', '00', '08');
    expect(
      benignReason({ ...caught, strategy: 'value comparison', other: undefined }),
    ).toBeUndefined();
  });

  it('a hand-over: one side waits for the other in a loop, and does nothing else', async () => {
    const waiting = 'again: pause\nmov eax,[rdi]\ntest eax,eax\nje again';
    expect(await reason(waiting, 'mov [rdi],eax', '00', '01')).toMatch(/waits in a loop/);
    expect(await reason('mov [rdi],ecx', waiting, '00', '01')).toMatch(/waits in a loop/);
    const busy = 'again: inc ecx\nmov [rsi],ecx\nmov eax,[rdi]\ntest eax,eax\nje again';
    expect(await reason(busy, 'mov [rdi],eax', '00', '01')).toBeUndefined();
  });
});
