import { expect, it } from 'vitest';
import { assembledImage } from '../testdata/assembled.ts';
import { readEhFrame } from '../unwind/eh-frame.ts';
import { findFunctions } from './functions.ts';
import { outsideJumps } from './outside-jumps.ts';

it('is told where other functions jump into one, but not where they call it or begin', () => {
  const elf = assembledImage({
    f: 'inc eax\nback: dec ecx\nnot_back: jne back\nret',
    cold: 'js back\ncall not_back\njmp f',
  });
  const codes = findFunctions(elf, readEhFrame(elf).fdes).map(({ code }) => {
    if (!code.ok) throw new Error(code.error);
    return code.value;
  });
  const [f] = codes;
  const entered = outsideJumps(codes);
  expect([...entered.keys()]).toEqual([f]);
  expect([...entered.get(f!)!].map((address) => f!.places.get(address))).toEqual([1]);
});
