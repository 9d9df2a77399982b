import { expect, it } from 'vitest';
import type { CaughtRace, CaughtSide } from './caught.ts';
import { readsPastItsString } from './string-overread.ts';
import { codeInMemory } from './testdata/code-in-memory.ts';
import { watchedAccess } from './watched-access.ts';

const STRING = 0x5000n;

interface Case {
  readonly name?: string;
  readonly module?: string;
  readonly body?: string;
  readonly size?: number;
}

/** One is about to store a byte there, while a function has read from the string's start on. */
async function isBehind(text: string, stored: bigint, how: Case = {}): Promise<boolean> {
  const { name = 'f', module = 'libc.so.6', size = 32 } = how;
  const { body = 'vpxor xmm0,xmm0,xmm0\nvpcmpeqb ymm1,ymm0,[rdi]' } = how;
  const { functions, code } = codeInMemory({ f: `${body}\nret` });
  const inside = (await code.functionOf(functions[0]!))!;
  const placed = { ...inside, place: { ...inside.place, name, module } };
  const other = {
    ...{ runner: 2, isStore: false, touched: { address: STRING, size } },
    place: { inside: placed, instruction: inside.instructions[1]! },
  } as unknown as CaughtSide;
  const held = { runner: 1, isStore: true } as CaughtRace['held'];
  const access = watchedAccess([{ address: stored, size: 1, isRead: false, isWritten: true }], 0)!;
  const memory = Buffer.from(text.padEnd(64, 'x'), 'latin1');
  const read = async (address: bigint, count: number): Promise<Uint8Array> =>
    memory.subarray(Number(address - STRING), Number(address - STRING) + count);
  const [before, after] = [Buffer.alloc(1), Buffer.alloc(1)];
  const race = { strategy: 'watchpoint', held, other, access, before, after } as const;
  return readsPastItsString({ read }, race);
}

it('knows what is behind the end of a string', async () => {
  expect(await isBehind('abc\0', STRING + 8n)).toBe(true);
  expect(await isBehind('abc\0', STRING + 4n)).toBe(true);
  // The end itself is wanted.
  expect(await isBehind('abc\0', STRING + 3n)).toBe(false);
  expect(await isBehind('abcdefghi\0', STRING + 8n)).toBe(false);
});

it('of string functions only', async () => {
  const copy = 'vmovdqu ymm0,[rsi]\nvmovdqu [rdi],ymm0';
  expect(await isBehind('abc\0', STRING + 8n, { body: copy })).toBe(false);
  expect(await isBehind('abc\0', STRING + 8n, { module: 'program' })).toBe(false);
  const own = { module: 'program', body: copy, size: 8 };
  for (const name of ['strlen', '__strlen_sse2', '__strncasecmp_avx', 'stpcpy']) {
    expect(await isBehind('abc\0', STRING + 7n, { ...own, name })).toBe(true);
  }
  for (const name of ['memcpy', 'strtol', 'strlength', '__memcmp_sse2']) {
    expect(await isBehind('abc\0', STRING + 7n, { ...own, name })).toBe(false);
  }
});
