import { expect, it } from 'vitest';
import { changeText } from './value-text.ts';

it.each([
  ['2a000000', '2b000000', '0x2a -> 0x2b, bit 0 differs'],
  ['2a000000', '2a000000', 'still 0x2a'],
  ['00', '83', '0x0 -> 0x83, bits 0, 1 and 7 differ'],
  ['0000000000000000', 'ffffffffffffffff', '0x0 -> 0xffffffffffffffff, 64 bits differ'],
  [
    '00'.repeat(16),
    `0000${'01'.repeat(2)}${'00'.repeat(12)}`,
    '2 bytes of 16 changed, at +2: 0000 -> 0101',
  ],
  [
    '00'.repeat(16),
    `01${'00'.repeat(14)}02`,
    '2 bytes of 16 changed, at +0: 00 -> 01, at +15: 00 -> 02',
  ],
  [
    '00'.repeat(32),
    '01'.repeat(32),
    '32 bytes of 32 changed, at +0: 0000000000000000… -> 0101010101010101…',
  ],
  [
    '00'.repeat(12),
    '0100'.repeat(6),
    '6 bytes of 12 changed, at +0: 00 -> 01, at +2: 00 -> 01, at +4: 00 -> 01, at +6: 00 -> 01, and at 2 more places',
  ],
  ['07'.repeat(16), '07'.repeat(16), 'the 16 bytes are as they were'],
])('%s to %s', (before, after, expected) => {
  expect(changeText(Buffer.from(before, 'hex'), Buffer.from(after, 'hex'))).toBe(expected);
});
