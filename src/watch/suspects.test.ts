import { describe, expect, it } from 'vitest';
import { parseSuspects, resolveSuspects } from './suspects.ts';
import { BASE, codeInMemory } from './testdata/code-in-memory.ts';

describe('parseSuspects', () => {
  it('knows all kinds of places, and remarks', () => {
    const text =
      '# first\n0xFfff81\n\npipe_read # all of it\npipe_read+0x1c\nlibq.so+7\nsrc/queue.c:41\n';
    expect(parseSuspects(text, 'list')).toEqual([
      { text: '0xFfff81', kind: 'address', address: 0xffff81n },
      { text: 'pipe_read', kind: 'name', name: 'pipe_read', offset: undefined },
      { text: 'pipe_read+0x1c', kind: 'name', name: 'pipe_read', offset: 0x1cn },
      { text: 'libq.so+7', kind: 'name', name: 'libq.so', offset: 7n },
      { text: 'src/queue.c:41', kind: 'line', file: 'src/queue.c', line: 41 },
    ]);
  });

  it.each(['a b', 'f+', 'f+x', '+3'])('%s is none', (text) => {
    expect(() => parseSuspects(`f\n${text}\n`, 'list')).toThrow(/line 2 of list/);
  });
});

/** Where accesses are found, counted from the start of `f`; those of `f` are at 1 and at 3. */
async function resolved(text: string): Promise<{ found: number[]; problems: readonly string[] }> {
  const { functions, code } = codeInMemory({
    f: 'nop\nmov eax,[rdi]\nmov [rsi],eax\nret',
    g: 'mov eax,[rsp-8]\nret',
  });
  const { start } = functions.find(({ name }) => name === 'f')!;
  const target = {
    functions: async () => functions,
    functionAt: async (address: bigint) =>
      functions.find((one) => address >= one.start && address < one.end),
    sitesAt: async (address: bigint) => {
      const line = Number(address - start);
      return [{ file: '/src/queue.c', line, address: `0x${(address - BASE).toString(16)}` }];
    },
  };
  const inMemory = (offset: bigint): string => `0x${(start + offset).toString(16)}`;
  const inFile = (offset: bigint): string => `0x${(start - BASE + offset).toString(16)}`;
  const written = text
    .replace(/MEMORY(\d)/, (_, offset: string) => inMemory(BigInt(offset)))
    .replace(/FILE(\d)/, (_, offset: string) => inFile(BigInt(offset)));
  const suspects = parseSuspects(written, 'list');
  const { addresses, problems } = await resolveSuspects(target, code, suspects);
  return { found: addresses.map((address) => Number(address - start)), problems };
}

describe('resolveSuspects', () => {
  it.each([
    ['f', [1, 3]],
    ['f+1', [1]],
    ['queue.c:3', [3]],
    ['/src/queue.c:3', [3]],
    ['MEMORY1', [1]],
    ['FILE1', [1]],
    ['test+FILE3', [3]],
    ['f\nf+1', [1, 3]],
  ])('%s', async (text, expected) => {
    expect(await resolved(text)).toEqual({ found: expected, problems: [] });
  });

  it.each(['ueue.c:3', 'other+FILE3', 'f+2', 'g', 'MEMORY0', 'h'])(
    '%s is nowhere',
    async (text) => {
      const { found, problems } = await resolved(text);
      expect(found).toEqual([]);
      expect(problems).toEqual([expect.stringMatching(/ is no access that can be watched$/)]);
    },
  );
});
