import { describe, expect, it } from 'vitest';
import { assembledCode } from '../testdata/assembled.ts';
import { jumpedTo } from './blocks.ts';
import { straightLoops } from './straight-loops.ts';

/** As places of the first instruction and the last. */
function loopsIn(body: string, entry = -1): string[] {
  const code = assembledCode(`${body}\nret`);
  const isEntry = (address: number): boolean => code.places.get(address) === entry;
  return straightLoops(code, jumpedTo(code), isEntry).map(({ start, end }) => `${start}-${end}`);
}

describe('a loop goes straight on', () => {
  it('from its start to the jump back, with ways out on the way', () => {
    expect(loopsIn('nop\n1: inc rax\ncmp rax,5\njne 1b')).toEqual(['1-3']);
    expect(loopsIn('1: inc rax\njs 2f\ndec rcx\njmp 1b\n2:')).toEqual(['0-3']);
    expect(loopsIn('1: inc rax\nloop 1b\n2: dec rdx\njne 2b')).toEqual(['0-1', '2-3']);
    expect(loopsIn('1: jmp 1b')).toEqual(['0-0']);
  });

  it('unless something in it may be left out, or done twice', () => {
    expect(loopsIn('1: js 2f\ninc rax\n2: dec rcx\njne 1b')).toEqual([]);
    // The inner one does, the outer one does not.
    expect(loopsIn('1: inc rax\n2: dec rcx\njne 2b\ndec rdx\njne 1b')).toEqual(['1-2']);
    // `continue`: what comes after it is not always done; and what is before it is a loop by itself.
    expect(loopsIn('1: inc rax\njs 1b\ndec rcx\njne 1b')).toEqual(['0-1']);
  });

  it('unless it is entered in its middle', () => {
    const body = 'jmp 2f\n1: inc rax\n2: dec rcx\njne 1b';
    expect(loopsIn(body)).toEqual([]);
    const plain = '1: inc rax\ndec rcx\njne 1b';
    expect(loopsIn(plain, 0)).toEqual(['0-2']);
    expect(loopsIn(plain, 1)).toEqual([]);
    // Whoever calls it comes to what follows endbr64.
    expect(loopsIn(`1: endbr64\ndec rcx\njne 1b`)).toEqual([]);
  });

  it('unless it calls somebody', () => {
    expect(loopsIn('1: call rax\ndec rcx\njne 1b')).toEqual([]);
    expect(loopsIn('1: syscall\ndec rcx\njne 1b')).toEqual([]);
    expect(loopsIn('1: jmp rax\ndec rcx\njne 1b')).toEqual([]);
  });
});
