/** Functions from assembly, where a target would have them. */

import { functionIndex } from '../../binary/elf/symbol-index.ts';
import { imageAddress } from '../../binary/image-address.ts';
import { assembledImage } from '../../binary/testdata/assembled.ts';
import { readEhFrame } from '../../binary/unwind/eh-frame.ts';
import type { CodeFunction } from '../debug-target.ts';
import { WatchedCode } from '../watched-code.ts';

/** As far up as kernels have theirs: no such address fits into a number. */
export const BASE = 0xffffffff81000000n;

export interface CodeInMemory {
  readonly functions: readonly CodeFunction[];
  readonly code: WatchedCode;
}

export function codeInMemory(bodies: Readonly<Record<string, string>>): CodeInMemory {
  const elf = assembledImage(bodies);
  const names = functionIndex(elf);
  const text = elf.sections.find(({ name }) => name === '.text')!;
  const functions = readEhFrame(elf).fdes.map(({ start, end }) => ({
    name: names.find(imageAddress(start))!.name,
    module: 'test',
    start: BASE + BigInt(start),
    end: BASE + BigInt(end),
  }));
  const bytes = elf.bytes.subarray(text.offset, text.offset + text.size);
  const code = new WatchedCode({
    read: async (address, size) => {
      const from = Number(address - BASE) - text.address;
      return bytes.subarray(from, from + size);
    },
    functionAt: async (address) =>
      functions.find(({ start, end }) => address >= start && address < end),
  });
  return { functions, code };
}
