import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ElfFile } from '../elf/elf-file.ts';
import { functionIndex } from '../elf/symbol-index.ts';
import { imageAddress } from '../image-address.ts';
import { assembledImage } from '../testdata/assembled.ts';
import { compiled } from '../testdata/compiled.ts';
import { rewriteImage } from './rewrite.ts';

/** The functions whose first bytes become a jump, and how far behind their start it is. */
function patched(functions: Record<string, string>, data?: string): Record<string, number> {
  const elf = assembledImage(functions, data);
  const { blob } = rewriteImage(elf, { logs: true });
  const names = functionIndex(elf);
  const found: Record<string, number> = {};
  for (let n = 0; n < blob.patches.length; n += 2) {
    const symbol = names.find(imageAddress(blob.patches[n]!));
    found[symbol?.name ?? '?'] = symbol?.offset ?? -1;
  }
  return found;
}

describe('a jump to the clone', () => {
  it('stands behind endbr64, where computed calls arrive', () => {
    expect(patched({ f: 'endbr64\nmov eax,1\nret', g: 'mov eax,1\nret' })).toEqual({ f: 4, g: 0 });
  });

  it('may take filling, but nothing of another function, cloned or not', () => {
    expect(patched({ f: 'ret\n', g: '.p2align 4\nmov eax,1\nret' })).toEqual({ g: 0 });
    expect(patched({ f: 'ret', g: 'mov eax,1\nret' })).toEqual({ g: 0 });
    expect(patched({ f: 'ret' }, '.p2align 4\n')).toEqual({ f: 0 });
    // movzx: its first byte is one that fillings have, too.
    expect(patched({ f: 'ret' }, 'nobody:\nmovzx eax,byte ptr [rdi]\nret\n')).toEqual({});
  });

  it('is not put where something else arrives', () => {
    expect(patched({ f: 'xor eax,eax\n1: add eax,edi\ndec edi\njg 1b\nret' })).toEqual({});
    expect(patched({ f: 'xor eax,eax\ng: add eax,edi\nret\n.globl g\n.type g,@function' })).toEqual(
      {},
    );
    const table = '.section .data.rel.ro,"aw"\n.quad f+2\n';
    expect(patched({ f: 'xor eax,eax\nadd eax,edi\nret' }, table)).toEqual({});
  });

  it('is not put behind the end of a function that is nothing but a mark', () => {
    expect(patched({ f: 'endbr64', g: '.p2align 5\nmov eax,1\nret' })).not.toHaveProperty('f');
  });
});

describe('all functions of a program', () => {
  it('have clones', () => {
    const elf = new ElfFile(readFileSync(compiled('calls.c', '-O2')));
    const { cloned, skipped, blob } = rewriteImage(elf, { logs: true });
    expect(skipped).toEqual([]);
    expect(blob.functions).toBe(cloned);
    // `add` has four bytes, and the next section begins right behind it.
    expect(blob.patches.length / 2).toBe(cloned - 1);
  });
});
