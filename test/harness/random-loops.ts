/**
 * Random loops in assembly, for clones that tell a loop as a whole: pointers and indices that move before, between
 * and after accesses, by constants and by registers, ways out in the middle, and things that nobody can foresee.
 * `f3(at, iterations)` touches what lies around `at`; each access has a piece of memory for itself, and what it
 * touches twice is the same both times, so that none hides another.
 */
import { Dice } from './random-functions.ts';

/** What one access of a loop may reach, and how many there are at most. */
const PIECE = 262_144;
/** All that moves does so by a multiple of the largest access. */
const UNIT = 16;
const MOST_ACCESSES = 8;
export const ARENA_SIZE = PIECE * MOST_ACCESSES;

const POINTERS = ['rdi', 'rsi', 'rdx', 'r8'];
const INDICES = ['rcx', 'r9'];
const STEPS = ['r10', 'r11'];

export function randomLoops(seed: number, count: number): string {
  const dice = new Dice(seed);
  const loops = Array.from({ length: count }, (_, number) => loopText(dice, number));
  const table = Array.from({ length: count }, (_, number) => `.quad f${number}`);
  return [
    '.intel_syntax noprefix',
    '.text',
    ...loops,
    '.section .data.rel.ro,"aw"',
    ...['.globl loops', 'loops:', ...table],
    ...['.globl loop_count', 'loop_count:', `.long ${count}`],
    '.section .note.GNU-stack,"",@progbits',
    '',
  ].join('\n');
}

function loopText(dice: Dice, number: number): string {
  const name = `f${number}`;
  const lines = [`.globl ${name}`, `.type ${name},@function`, `${name}:`, '.cfi_startproc'];
  const add = (...more: string[]): void => void lines.push(...more);
  add(
    'push rbx',
    '.cfi_adjust_cfa_offset 8',
    '.cfi_rel_offset rbx,0',
    'mov rax,rsi',
    'xor ebx,ebx',
  );
  add(`add rdi,${PIECE / 2}`);
  for (const pointer of POINTERS.slice(1)) add(`lea ${pointer},[rdi+${UNIT * dice.below(4)}]`);
  for (const index of INDICES) add(`mov ${index},${UNIT * dice.below(3)}`);
  for (const step of STEPS) add(`mov ${step},${UNIT * (dice.below(7) - 3)}`);
  add('pxor xmm0,xmm0', '1:');
  let accesses = 0;
  const items = 2 + dice.below(10);
  for (let item = 0; item < items; item++) {
    const kind = dice.below(10);
    if (kind < 5 && accesses < MOST_ACCESSES) add(accessText(dice, PIECE * accesses++));
    else if (kind < 9) add(moveText(dice));
    else add(`cmp rax,${dice.below(20)}`, `je ${2 + dice.below(2)}f`);
  }
  if (accesses === 0) add('mov [rdi],al');
  add(
    ...dice.one([
      ['dec rax', 'jg 1b'],
      ['sub rax,1', 'jle 2f', 'jmp 1b'],
      ['dec rax', 'jle 3f', 'jmp 1b'],
    ]),
  );
  add(
    '2: add bl,1',
    '3: movzx eax,bl',
    'pop rbx',
    '.cfi_adjust_cfa_offset -8',
    '.cfi_restore rbx',
    'ret',
  );
  add('.cfi_endproc', `.size ${name},.-${name}`);
  return lines.join('\n');
}

function accessText(dice: Dice, displacement: number): string {
  const base = dice.one(POINTERS);
  const index = dice.below(2) ? `+${dice.one(INDICES)}*${dice.one([1, 2, 4, 8])}` : '';
  const at = `[${base}${index}+${displacement}]`;
  return dice.one([
    ...[`mov bl,${at}`, `mov ${at},bl`, `mov ebx,${at}`, `mov ${at},ebx`, `mov rbx,${at}`],
    ...[`add byte ptr ${at},3`, `inc dword ptr ${at}`, `movups xmm0,${at}`, `movups ${at},xmm0`],
  ]);
}

function moveText(dice: Dice): string {
  const register = dice.one([...POINTERS, ...INDICES]);
  // An index is multiplied by up to 8.
  const amount = UNIT * (1 + dice.below(INDICES.includes(register) ? 2 : 4));
  // One in sixteen moves in a way that is not known.
  if (dice.below(16) === 0) {
    return dice.one(['xor rcx,32', 'movzx ecx,cl', 'mov rdx,rdi', 'and ecx,48']);
  }
  return dice.one([
    ...[`add ${register},${amount}`, `sub ${register},${amount}`, 'nop'],
    ...[`lea ${register},[${register}-${amount}]`, `add ${register},${dice.one(STEPS)}`],
  ]);
}
