import { afterEach, describe, expect, it } from 'vitest';
import { pid } from './ids.ts';
import { allocate, release } from './native-memory.ts';
import { SystemError } from './system-error.ts';
import { WriteWatch } from './write-watch.ts';

const own = pid(process.pid);
const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

function watched(size: 1 | 2 | 4 | 8 = 8) {
  const memory = allocate(4096);
  open.push({ close: () => release(memory) });
  const watch = new WriteWatch(own, { address: memory.address + 64n, size });
  open.push(watch);
  const words = new Uint32Array(memory.bytes.buffer, memory.bytes.byteOffset + 64, 2);
  return { memory, watch, words };
}

describe('watching for writes to some bytes of a process', () => {
  it('tells who did it, when, and from where', () => {
    const { words, watch } = watched();
    const before = process.hrtime.bigint();
    words[0] = 1;
    const after = process.hrtime.bigint();
    const [sample, ...more] = watch.tend();
    expect(more).toEqual([]);
    expect(sample).toMatchObject({ process: process.pid });
    expect(sample!.time >= before && sample!.time <= after).toBe(true);
    expect(sample!.registers.get('rip')).toBeGreaterThan(4096n);
    expect(sample!.stack.from).toBe(sample!.registers.get('rsp'));
    expect(sample!.stack.bytes.length).toBeGreaterThan(256);
  });

  it('does not mind reads, nor neighbours', () => {
    const { memory, watch } = watched(4);
    memory.bytes.readUInt32LE(64);
    memory.bytes.writeUInt32LE(1, 60);
    memory.bytes.writeUInt32LE(1, 68);
    expect(watch.tend()).toEqual([]);
  });

  it('takes only a few of many, and goes on after that', () => {
    const { words, watch } = watched();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 10_000; n++) words[n % 2] = n;
      const { length } = watch.tend();
      expect(length).toBeGreaterThan(1);
      expect(length).toBeLessThan(40);
    }
    expect(watch.tend()).toEqual([]);
  });

  it('says that there are no more debug registers', () => {
    const { memory } = watched();
    const another = (n: number): void => {
      open.push(new WriteWatch(own, { address: memory.address + BigInt(128 + 8 * n), size: 8 }));
    };
    for (let n = 0; n < 3; n++) another(n);
    expect(() => another(3)).toThrow(SystemError);
    expect(() => another(3)).toThrow('ENOSPC');
  });
});
