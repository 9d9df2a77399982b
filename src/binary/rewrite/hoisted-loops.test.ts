import { describe, expect, it } from 'vitest';
import { jumpedTo } from '../code/blocks.ts';
import { NO_REGISTER, RAX, RCX, RDX, RSP } from '../code/general-registers.ts';
import { liveFlags } from '../code/liveness.ts';
import { StackFrame } from '../code/stack-frame.ts';
import { straightLoops } from '../code/straight-loops.ts';
import { assembledCode } from '../testdata/assembled.ts';
import { type HoistedLoop, hoistedLoop } from './hoisted-loops.ts';

/** The first loop of a function, which begins at label 1 and goes on as long as rcx is not 0. */
function hoisted(body: string, isOrdered = false): HoistedLoop | undefined {
  const code = assembledCode(`1: ${body}\ndec rcx\njne 1b\n2: ret`);
  const [loop] = straightLoops(code, jumpedTo(code), () => false);
  return hoistedLoop(code, loop!, {
    frame: new StackFrame(code, () => undefined),
    flags: liveFlags(code),
    jumpTargets: [],
    isOrdered: () => isOrdered,
  });
}

const alone = (base: number) => ({ base, index: NO_REGISTER, scale: 1 });

describe('a loop', () => {
  it('tells where its addresses begin, how they move, and how far the counter has come', () => {
    const { entry, exits } = hoisted('mov r8,[rax]\nmov [rax+rdx*4+8],r8\nadd rax,8\ninc rdx')!;
    expect(entry.values).toEqual([
      ...[alone(RAX), { base: RAX, index: RDX, scale: 4 }, alone(RSP)],
    ]);
    expect(entry.loop).toEqual({
      ...{ kind: 'entry', counter: 0, counterStep: 8, stack: 2, certain: 2 },
      steps: [8, 12, 0].map((constant) => ({ constant, value: -1 })),
    });
    expect(exits).toMatchObject([
      {
        isJump: false,
        group: {
          values: [alone(RAX), alone(RSP)],
          loop: { kind: 'exit', distance: 1, done: 2, counted: 8 },
        },
      },
    ]);
  });

  it('tells a register by which others move', () => {
    const simple = hoisted('mov [rax],r8\nadd rax,rdx\nmov [rax+4],r8')!;
    expect(simple.entry.values).toEqual([
      ...[alone(RAX), { base: RAX, index: RDX, scale: 1 }, alone(RDX), alone(RCX), alone(RSP)],
    ]);
    expect(simple.entry.loop).toMatchObject({
      counterStep: -1,
      steps: [
        ...[2, 2].map((value) => ({ constant: 0, value })),
        ...[0, -1, 0].map((constant) => ({ constant, value: -1 })),
      ],
    });
  });

  it('has moved before some of its accesses', () => {
    const { entry } = hoisted('mov r8,[rax]\nadd rax,8\nmov r8,[rax+4]\nsub rax,16\nmov [rax],r8')!;
    expect(entry.accesses.map(({ displacement }) => displacement)).toEqual([0, 12, -8]);
    expect(entry.loop).toMatchObject({ steps: [{ constant: -8 }, { constant: 0 }] });
  });

  it('has made some of its accesses where it is left', () => {
    const { entry, exits } = hoisted(
      'test r8,r8\nje 2f\nmov r8,[rax]\ninc rax\ntest r8,r8\njs 2f',
    )!;
    expect(entry.loop).toMatchObject({ certain: 0, counterStep: 1 });
    expect(exits.map(({ isJump, group: { loop } }) => [isJump, loop])).toMatchObject([
      [true, { distance: 1, done: 0, counted: 0 }],
      [true, { distance: 2, done: 1, counted: 1 }],
      [false, { distance: 3, done: 1, counted: 1 }],
    ]);
  });

  it.each([
    ['an address is read from memory', 'mov rax,[rax]'],
    ['an address is of 32 bits', 'mov r8,[rax]\nadd eax,4'],
    ['an address moves in two ways', 'mov r8,[rax]\nadd rax,rdx\nadd rax,rsi'],
    ['it may wait for what it loads', 'mov r8,[rax]\ninc rdx'],
    ['it may wait for what it compares', 'cmp dword ptr [rax],5\nje 2f'],
    ['it passes the time', 'pause\nmov [rax],r8\ninc rax'],
    ['it is atomic', 'lock inc dword ptr [rax]\ninc rax'],
    ['it repeats', 'rep stosb'],
    ['its stack moves', 'push r8\nmov [rax],r8\ninc rax'],
    ['it touches nothing', 'inc rax'],
    ['its sum has three registers', 'add rax,rdx\nmov [rax+rsi],r8'],
  ])('is left as it is where %s', (_, body) => expect(hoisted(body)).toBeUndefined());

  it('may load a constant again and again, or write to one place', () => {
    expect(hoisted('movsd xmm0,[rax]\nmovsd [rdx],xmm0\nadd rdx,8')).toBeDefined();
    expect(hoisted('add [rax],r8')).toBeDefined();
  });

  it('is left as it is where an access has a place in the order', () => {
    expect(hoisted('mov r8,[rax]\ninc rax')).toBeDefined();
    expect(hoisted('mov r8,[rax]\ninc rax', true)).toBeUndefined();
  });
});
