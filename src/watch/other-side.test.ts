import { describe, expect, it } from 'vitest';
import type { RegisterName } from '../linux/registers.ts';
import { whoTouched } from './other-side.ts';
import { codeInMemory } from './testdata/code-in-memory.ts';

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
