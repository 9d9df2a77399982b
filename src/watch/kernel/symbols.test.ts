import { expect, it } from 'vitest';
import { parseSymbolFile } from './symbol-file.ts';
import { KernelSymbols } from './symbols.ts';
import { watchedFunctions } from './watched-functions.ts';

const LIST = [
  ['000000000001fb80', 'A', 'current_task'],
  ['ffffffff81000000', 'T', '_stext'],
  ['ffffffff81000000', 'T', '_text'],
  ['ffffffff81000010', 't', '__pfx_vfs_read'],
  ['ffffffff81000020', 't', 'vfs_read_alias'],
  ['ffffffff81000020', 'T', 'vfs_read'],
  ['ffffffff81000040', 'T', 'vfs_write'],
  ['ffffffff81000060', 'T', '__noinstr_text_start'],
  ['ffffffff81000060', 't', 'careful'],
  ['ffffffff81000070', 'T', '__noinstr_text_end'],
  ['ffffffff81000070', 't', 'exc_page_fault'],
  ['ffffffff81000080', 'T', 'last'],
  ['ffffffff81000090', 'T', '_etext'],
  ['ffffffff82000000', 'D', 'jiffies'],
  ['ffffffff82000008', 'd', 'other'],
  ['ffffffff83000000', 'T', '_sinittext'],
  ['ffffffff83000000', 't', 'start_only'],
  ['ffffffff83000010', 'T', '_einittext'],
] as const;

const symbols = new KernelSymbols(
  LIST.map(([address, type, name]) => ({ name, type, address: BigInt(`0x${address}`) })),
);

it('has what is at an address, up to the next symbol', () => {
  expect(symbols.at(0xffffffff81000025n)).toMatchObject({
    name: 'vfs_read',
    start: 0xffffffff81000020n,
    end: 0xffffffff81000040n,
  });
  expect(symbols.at(0xffffffff82000003n)).toMatchObject({ name: 'jiffies', type: 'D' });
  expect(symbols.at(0x1fb80n)).toBe(undefined);
  expect(symbols.find('current_task')).toBe(0x1fb80n);
});

it('has functions that may be watched', () => {
  const functions = watchedFunctions(symbols).map(({ name }) => name);
  expect(functions).toEqual(['_stext', 'vfs_read', 'vfs_write', 'last']);
});

it('is read from text', () => {
  const lines = Array.from(
    { length: 120 },
    (_, index) => `${(0xffffffff81000000n + BigInt(index)).toString(16)} t f${index}`,
  );
  const text = [...lines, 'ffffffffc0201000 t lo_open\t[loop]', ''].join('\n');
  const parsed = parseSymbolFile(text);
  expect(parsed).toHaveLength(120);
  expect(parsed[3]).toEqual({ name: 'f3', type: 't', address: 0xffffffff81000003n });
});

it('is not read from text that has none', () => {
  const debian =
    'ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package\n';
  expect(() => parseSymbolFile(debian)).toThrow('no symbols');
  const hidden = Array.from({ length: 200 }, (_, index) => `0000000000000000 t f${index}\n`).join(
    '',
  );
  expect(() => parseSymbolFile(hidden)).toThrow('root only');
});
