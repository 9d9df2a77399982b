import { describe, expect, it } from 'vitest';
import type { RegisterName } from '../linux/registers.ts';
import { type CaughtSide, sharedBytes } from './caught.ts';
import { bytesTouched, whoTouched } from './other-side.ts';
import { codeInMemory } from './testdata/code-in-memory.ts';
import { watchedAccess } from './watched-access.ts';

/** Of a runner in `f`, behind so many of its instructions; which of them it was, counted from 0. */
async function found(
  body: string,
  behind: number,
  registers: Partial<Record<RegisterName, bigint>>,
  { on = 'load-or-store' as 'load-or-store' | 'store', hasArrivedInG = false } = {},
): Promise<number | 'nobody' | undefined> {
  const { functions, code } = codeInMemory({ f: body, g: 'ret' });
  const [f, g] = ['f', 'g'].map((name) => functions.find((one) => one.name === name)!);
  const { instructions } = (await code.functionOf(f!))!;
  const before = instructions[behind - 1]!;
  const end = f!.start + BigInt(before.address + before.length);
  const returnAddress = Buffer.alloc(8);
  returnAddress.writeBigUInt64LE(end);
  const all: typeof registers = { ...registers, rip: hasArrivedInG ? g!.start : end };
  const place = await whoTouched(
    { read: async () => returnAddress },
    code,
    { get: (name) => all[name] ?? 0n },
    { pieces: [{ address: 0x5000n, size: 8 }], on },
  );
  return typeof place === 'object' ? instructions.indexOf(place.instruction) : place;
}

describe('who has touched it', () => {
  it('is the instruction before the one where it stands', async () => {
    expect(await found('nop\nmov [rdi],eax\nmov eax,1\nret', 2, { rdi: 0x5000n })).toBe(1);
  });

  it('also if that has changed the register that its address was in', async () => {
    expect(await found('mov rdi,[rdi]\nnop\nret', 1, { rdi: 7n })).toBe(0);
  });

  it('is not known, if that touches no memory', async () => {
    expect(await found('mov [rdi],eax\nnop\nnop\nret', 2, { rdi: 0x5000n })).toBeUndefined();
  });

  it('is nobody, if that only reads where stores are watched, or touches other bytes for certain', async () => {
    const stores = { on: 'store' } as const;
    expect(await found('mov eax,[rdi]\nnop\nret', 1, { rdi: 0x5000n }, stores)).toBe('nobody');
    expect(await found('mov [rdi],eax\nnop\nret', 1, { rdi: 0x6000n })).toBe('nobody');
    expect(await found('mov [rip+0x2000],eax\nnop\nret', 1, {})).toBe('nobody');
    expect(await found('push [rdi]\nnop\nret', 1, { rdi: 0x6000n })).toBe(0);
  });

  it('is a copy that goes on', async () => {
    const body = 'nop\nrep movsb\nret';
    expect(await found(body, 1, { rdi: 0x5001n, rsi: 0x9000n, rcx: 5n })).toBe(1);
    const after = 'mov [rax],rcx\nrep movsb\nret';
    expect(await found(after, 1, { rax: 0x5000n, rdi: 0x9000n, rsi: 0x9100n, rcx: 5n })).toBe(0);
  });

  it('is the call through memory, if it has just arrived', async () => {
    const inG = { hasArrivedInG: true };
    expect(await found('nop\ncall [rdi]\nret', 2, { rdi: 0x5000n }, inG)).toBe(1);
    expect(await found('nop\ncall rax\nret', 2, {}, inG)).toBeUndefined();
  });
});

/** By the first instruction of these, whose registers are those right after it. */
async function touched(
  body: string,
  registers: Partial<Record<RegisterName, bigint>>,
): Promise<string | undefined> {
  const { functions, code } = codeInMemory({ f: `${body}\nret` });
  const inside = (await code.functionOf(functions[0]!))!;
  const place = { inside, instruction: inside.instructions[0]! };
  const pieces = [{ address: 0x5000n, size: 8 }] as const;
  const bytes = bytesTouched(place, { get: (name) => registers[name] ?? 0n }, pieces);
  return bytes && `${bytes.size} at ${bytes.address.toString(16)}`;
}

describe('what it has touched', () => {
  it('is told by its registers, also if it is less or more than what was watched', async () => {
    expect(await touched('mov [rdi+7],al', { rdi: 0x5000n })).toBe('1 at 5007');
    expect(await touched('movdqu xmm0,[rdi]', { rdi: 0x4ffcn })).toBe('16 at 4ffc');
    expect(await touched('mov eax,[rdi+rax*2]', { rdi: 0x5000n })).toBeUndefined();
  });

  it('is not known, if it has changed them', async () => {
    expect(await touched('mov rdi,[rdi]', { rdi: 0x5000n })).toBeUndefined();
    expect(await touched('rep movsb', { rdi: 0x5000n, rsi: 0x9000n })).toBeUndefined();
    expect(await touched('push [rdi]', { rdi: 0x5000n })).toBeUndefined();
  });

  it('and what both sides touch lies in it', () => {
    const access = watchedAccess(
      [{ address: 0x5003n, size: 8, isRead: true, isWritten: false }],
      0,
    )!;
    const shared = (address: bigint, size: number): unknown =>
      sharedBytes({ access, other: { touched: { address, size } } as CaughtSide });
    expect(shared(0x500an, 1)).toEqual({ address: 0x500an, size: 1 });
    expect(shared(0x5000n, 4)).toEqual({ address: 0x5003n, size: 1 });
    expect(shared(0x5000n, 64)).toEqual({ address: 0x5003n, size: 8 });
    expect(sharedBytes({ access, other: undefined })).toEqual({ address: 0x5003n, size: 8 });
  });
});
