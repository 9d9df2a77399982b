import { expect, it } from 'vitest';
import { assembledCode } from '../testdata/assembled.ts';
import { looksForNul } from './string-search.ts';

it.each([
  ['strlen', 'pxor xmm0,xmm0\npcmpeqb xmm0,[rdi]\npmovmskb eax,xmm0', true],
  ['with AVX2', 'vpxor xmm0,xmm0,xmm0\nvpcmpeqb ymm1,ymm0,[rdi]', true],
  ['with AVX-512', 'vpxorq xmm16,xmm16,xmm16\nvpcmpeqb k0,ymm16,[rdi]', true],
  ['strcmp with AVX-512', 'vmovdqu8 ymm16,[rdi]\nvptestmb k2,ymm16,ymm16', true],
  ['memcpy', 'vmovdqu ymm0,[rsi]\nvmovdqu [rdi],ymm0', false],
  ['memset', 'pxor xmm0,xmm0\nmovdqu [rdi],xmm0', false],
  ['memcmp', 'vmovdqu ymm1,[rsi]\nvpcmpeqb ymm1,ymm1,[rdi]', false],
  ['of others', 'pxor xmm0,xmm1\npcmpeqb xmm0,[rdi]', false],
])('%s', (_, body, expected) => {
  expect(looksForNul(assembledCode(`${body}\nret`).instructions)).toBe(expected);
});
