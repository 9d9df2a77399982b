import { describe, expect, it } from 'vitest';
import type { RegisterName } from '../../linux/registers.ts';
import { findOrcEntry, OrcBase, parseOrcEntry } from './orc-table.ts';
import { unwind } from './unwind.ts';

/** As `struct orc_entry` has them. */
function entry(stackOffset: number, rbpOffset: number, flags: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeInt16LE(stackOffset, 0);
  bytes.writeInt16LE(rbpOffset, 2);
  bytes.writeUInt16LE(flags, 4);
  return bytes;
}

const CODE = 0xffffffff81000000n;
const STACK = 0xffffc90000004000n;
const FROM_RSP = OrcBase.rsp;
const SAVES_RBP = OrcBase.previousStack << 4;
const REGISTERS = 1 << 8;
const END = 1 << 10;

/** Memory of which only some words are there. */
class Words {
  readonly #bytes = new Map<bigint, number>();

  set(address: bigint, ...values: bigint[]): void {
    for (const [index, value] of values.entries()) {
      for (let at = 0n; at < 8n; at++) {
        this.#bytes.set(address + BigInt(8 * index) + at, Number((value >> (8n * at)) & 0xffn));
      }
    }
  }

  add(address: bigint, bytes: Uint8Array): void {
    for (const [index, byte] of bytes.entries()) this.#bytes.set(address + BigInt(index), byte);
  }

  readonly read = async (address: bigint, size: number): Promise<Uint8Array> => {
    const found: number[] = [];
    for (let at = 0n; at < size; at++) {
      const byte = this.#bytes.get(address + at);
      if (byte === undefined) break;
      found.push(byte);
    }
    return Uint8Array.from(found);
  };
}

const registersWith = (values: Partial<Record<RegisterName, bigint>>) => ({
  get: (name: RegisterName): bigint => values[name] ?? 0n,
});

const isCode = (address: bigint): boolean => address >= CODE && address < CODE + 0x1000n;

/** Functions at 0x000, 0x100, 0x200 and 0x300. */
function kernel(entries: readonly Buffer[], isNew = false) {
  const memory = new Words();
  const places = {
    addresses: 0xffffffff82000000n,
    entries: 0xffffffff82001000n,
    count: entries.length,
  };
  const numbers = Buffer.alloc(4 * entries.length);
  for (const index of entries.keys()) {
    const at = places.addresses + BigInt(4 * index);
    numbers.writeInt32LE(Number(CODE + BigInt(0x100 * index) - at), 4 * index);
  }
  memory.add(places.addresses, numbers);
  memory.add(places.entries, Buffer.concat(entries));
  const orcAt = (address: bigint) => findOrcEntry(places, address, memory.read, isNew);
  return { memory, source: { read: memory.read, orcAt, isCode } };
}

describe('entries', () => {
  it('are as old or new kernels write them', () => {
    expect(parseOrcEntry(entry(8, -16, FROM_RSP | SAVES_RBP), false)).toEqual({
      stackOffset: 8,
      rbpOffset: -16,
      stackBase: OrcBase.rsp,
      rbpBase: OrcBase.previousStack,
      kind: 'call',
    });
    expect(parseOrcEntry(entry(8, 0, FROM_RSP | END), false).kind).toBe('none');
    expect(parseOrcEntry(entry(8, 0, FROM_RSP | (2 << 8)), true).kind).toBe('call');
    expect(parseOrcEntry(entry(8, 0, FROM_RSP | (1 << 8)), true).kind).toBe('none');
    expect(parseOrcEntry(entry(0, 0, 0), false).kind).toBe('none');
  });

  it('hold from their address on', async () => {
    const { source } = kernel([
      entry(8, 0, FROM_RSP),
      entry(16, 0, FROM_RSP),
      entry(24, 0, FROM_RSP),
    ]);
    expect((await source.orcAt(CODE))?.stackOffset).toBe(8);
    expect((await source.orcAt(CODE + 0xffn))?.stackOffset).toBe(8);
    expect((await source.orcAt(CODE + 0x100n))?.stackOffset).toBe(16);
    expect((await source.orcAt(CODE + 0x900n))?.stackOffset).toBe(24);
    expect(await source.orcAt(CODE - 1n)).toBe(undefined);
  });
});

describe('callers', () => {
  it('are found by the stack pointer, by rbp and behind interrupts', async () => {
    const { memory, source } = kernel([
      entry(24, -16, FROM_RSP | SAVES_RBP),
      entry(16, 0, OrcBase.rbp),
      entry(0, 0, FROM_RSP | REGISTERS),
      entry(8, 0, FROM_RSP | END),
    ]);
    // At 0x20, with rbp pushed; called from 0x150, which counts from rbp; called from 0x200, where an interrupt came.
    memory.set(STACK, 1n, STACK + 0x40n, CODE + 0x150n);
    memory.set(STACK + 0x48n, CODE + 0x210n);
    const saved = new Array<bigint>(21).fill(0n);
    saved[16] = CODE + 0x300n;
    saved[17] = 0x10n;
    saved[19] = STACK + 0x800n;
    memory.set(STACK + 0x50n, ...saved);
    const registers = registersWith({ rip: CODE + 0x20n, rsp: STACK });
    const frames = await unwind(registers, source);
    expect(frames.map(({ address, isReturn }) => [address - CODE, isReturn])).toEqual([
      [0x20n, false],
      [0x150n, true],
      [0x210n, true],
      [0x300n, false],
    ]);
  });

  it('end in user code', async () => {
    const { memory, source } = kernel([entry(0, 0, FROM_RSP | REGISTERS)]);
    const saved = new Array<bigint>(21).fill(0n);
    saved[16] = CODE + 0x10n;
    saved[17] = 0x33n;
    memory.set(STACK, ...saved);
    expect(await unwind(registersWith({ rip: CODE, rsp: STACK }), source)).toHaveLength(1);
  });

  it('are not looked for without end', async () => {
    const { memory, source } = kernel([entry(8, 0, FROM_RSP)]);
    for (let at = 0n; at < 400n; at++) memory.set(STACK + 8n * at, CODE + 0x10n);
    expect(await unwind(registersWith({ rip: CODE, rsp: STACK }), source)).toHaveLength(64);
  });

  it('are guessed where no table tells', async () => {
    const { memory, source } = kernel([]);
    memory.set(STACK, 5n, CODE + 0x33n, 6n, CODE + 0x44n);
    const frames = await unwind(registersWith({ rip: CODE, rsp: STACK }), source);
    expect(frames.map(({ address, isGuess }) => [address - CODE, isGuess])).toEqual([
      [0n, false],
      [0x33n, true],
      [0x44n, true],
    ]);
  });
});
