import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { RSP } from '../../../binary/code/general-registers.ts';
import { parseElf } from '../../../binary/elf/elf-file.ts';
import { functionIndex } from '../../../binary/elf/symbol-index.ts';
import { imageAddress } from '../../../binary/image-address.ts';
import { type AccessInCode, isHandedOver } from './handover-words.ts';
import { SampledImage } from './sampled-image.ts';

const SOURCE = fileURLToPath(new URL('../testdata/handover-words.c', import.meta.url));

it.each(['-O1', '-O2'])('rings with atomic ends are recognised in code of gcc %s', (level) => {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-handover-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'rings.so');
  const options = ['-shared', '-fPIC', '-g', '-fvisibility=hidden', level];
  execFileSync('gcc', [...options, '-o', path, SOURCE]);
  const elf = parseElf(readFileSync(path));
  const image = new SampledImage(path, '', elf);
  /** Of a ring's element: the only eight bytes that are touched there. */
  const accessIn = (name: string): AccessInCode => {
    const { start } = [...functionIndex(elf)].find((one) => one.name === name)!;
    const { code } = image.functionAt(start)!;
    const place = code.instructions.findIndex(({ memory }) =>
      memory.some(({ size, base, place: kind }) => size === 8 && base !== RSP && kind === 'memory'),
    );
    return { code, place };
  };
  const isAtomic = (address: number): boolean => image.names.isAtomic(imageAddress(address));
  const handsOver = (one: string, other: string): boolean =>
    isHandedOver(accessIn(one), accessIn(other), isAtomic);
  expect(handsOver('put', 'take')).toBe(true);
  expect(handsOver('take', 'put')).toBe(true);
  expect(handsOver('put', 'put')).toBe(false);
  expect(handsOver('overwrite', 'take')).toBe(false);
  expect(handsOver('plain_put', 'plain_take')).toBe(false);
});
