import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decode } from '../../binary/code/decode.ts';
import { parseElf } from '../../binary/elf/elf-file.ts';
import { pid } from '../../linux/ids.ts';
import { type QuickLook, quickLook } from '../../linux/quick-look.ts';
import { KNOWN_BYTES } from '../../linux/quick-look-layout.ts';
import { REGISTERS_SIZE, Registers } from '../../linux/registers.ts';
import { SeededRandom } from '../random.ts';
import { touchedAt } from '../watched-code.ts';
import { accessShape } from './quick-places.ts';

function opened(): QuickLook {
  const look = quickLook(pid(process.pid), 0)!;
  onTestFinished(() => look.close());
  return look;
}

const random = new SeededRandom(7);
const randomRegisters = (): Registers =>
  new Registers(Buffer.from(Array.from({ length: REGISTERS_SIZE }, () => random.next() * 256)));

const firstOf = (bytes: Uint8Array) => {
  const decoded = decode(bytes, 0);
  return decoded.ok ? decoded.value[0] : undefined;
};

describe('what an instruction touches', () => {
  it.each(['/bin/bash', '/usr/bin/gdb'])(
    'is the same for both sides, in all of %s',
    async (path) => {
      const look = opened();
      const file = parseElf(readFileSync(path));
      const text = file.sections.find(({ name }) => name === '.text')!;
      const code = file.bytes.subarray(text.offset, text.offset + text.size);
      let compared = 0;
      for (let at = 0; at + KNOWN_BYTES < code.length; ) {
        const bytes = code.subarray(at, at + KNOWN_BYTES);
        const instruction = firstOf(bytes.subarray(0, 15));
        const address = 0x5555_5555_0000n + BigInt(at);
        at += instruction?.length ?? 1;
        const shape = instruction && accessShape(instruction, address);
        if (shape === undefined) continue;
        const registers = randomRegisters();
        look.know(address, shape, bytes);
        const touched = await touchedAt({ read: async () => bytes }, address, registers);
        const theirs = look.touched(address, registers);
        look.forget(address);
        const { size, isStore } = shape;
        expect(touched).toMatchObject([{ address: theirs, size, isWritten: isStore }]);
        // A few of each kind are enough.
        if (++compared === 6000) break;
        at += Math.floor(random.next() * 40);
      }
      expect(compared).toBeGreaterThan(5000);
    },
  );

  it.each(['rep movsb', 'movsb', 'push rax', 'nop'])('is not for here: %s', (text) => {
    const bytes = { 'rep movsb': 'f3a4', movsb: 'a4', 'push rax': '50', nop: '90' }[text]!;
    const instruction = firstOf(Buffer.from(bytes, 'hex'))!;
    expect(accessShape(instruction, 0n)).toBeUndefined();
  });
});

describe('places that are known', () => {
  it('are the right ones, whichever are forgotten', () => {
    const look = opened();
    // mov eax,[rbx+disp32]
    const placed = (displacement: number): Buffer => {
      const bytes = Buffer.alloc(KNOWN_BYTES, 0x90);
      bytes.set([0x8b, 0x83]);
      bytes.writeInt32LE(displacement, 2);
      return bytes;
    };
    const known = new Map<bigint, number>();
    for (let step = 0; step < 3000; step++) {
      const address = BigInt(Math.floor(random.next() * 500));
      if (known.delete(address)) look.forget(address);
      else {
        const displacement = Math.floor(random.next() * 1e6);
        known.set(address, displacement);
        const bytes = placed(displacement);
        look.know(address, accessShape(firstOf(bytes)!, address)!, bytes);
      }
    }
    const registers = new Registers(Buffer.alloc(REGISTERS_SIZE));
    registers.set('rbx', 0x7000);
    expect(known.size).toBeGreaterThan(100);
    for (const [address, displacement] of known) {
      expect(look.touched(address, registers)).toBe(0x7000n + BigInt(displacement));
    }
  });
});
