import { expect, it } from 'vitest';
import { dependsOnPlace } from './expression.ts';

it.each([
  ['rbp - 8, dereferenced', [0x76, 0x78, 0x06], false],
  ['rsp + 8 with arithmetic', [0x77, 0x08, 0x08, 0x0f, 0x1a, 0x23, 0x80, 0x01], false],
  ['literals and comparisons', [0x3f, 0x3b, 0x2a, 0x94, 4, 0x96], false],
  // The linker's, for the procedure linkage table.
  [
    'rsp + 8 + ((rip & 15) >= 11) * 8',
    [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22],
    true,
  ],
  ['the register rip', [0x60], true],
  ['a fixed address', [0x03, 1, 2, 3, 4, 5, 6, 7, 8], true],
  ['something unknown', [0xe0], true],
  ['cut short', [0x77], true],
])('knows whether %s depends on where the code is', (_, bytes, depends) => {
  expect(dependsOnPlace(Uint8Array.from(bytes))).toBe(depends);
});
