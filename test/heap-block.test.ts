import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { heapBlockAt } from '../src/debugger/heap-block.ts';
import { pid } from '../src/linux/ids.ts';
import { scratchFolder } from './harness/scratch.ts';

const SOURCE = new URL('debugger/blocks.c', import.meta.url).pathname;
/** Of 400 in each of two threads, two thirds; and three places that are no block. */
const LINES = 2 * 266 + 3;

it('finds the block that an address is in, in the heaps of all threads', async () => {
  const program = join(scratchFolder(), 'blocks');
  execFileSync('cc', ['-g', '-pthread', SOURCE, '-o', program]);
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const told: { address: bigint; size: number }[] = [];
  for await (const line of createInterface(child.stdout!)) {
    const [address = '', size] = line.split(' ');
    told.push({ address: BigInt(address), size: Number(size) });
    if (told.length === LINES) break;
  }
  const process = pid(child.pid!);
  for (const { address, size } of told) {
    const block = size === 0 ? undefined : { start: address, size };
    for (const offset of [0, size >> 1, Math.max(0, size - 1)])
      expect(heapBlockAt(process, address + BigInt(offset))).toEqual(block);
    // What stands before a block is its length.
    if (size > 0) expect(heapBlockAt(process, address - 4n)?.start).not.toBe(address);
  }
  child.stdin!.end();
  expect(await ended).toEqual([0, null]);
  expect(heapBlockAt(process, told[0]!.address)).toBeUndefined();
});
