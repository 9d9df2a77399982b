/**
 * A kernel's list of symbols as it is in memory, made from one that is known: with tokens for some pairs of letters,
 * and in the order of the tables that older or newer kernels have.
 */
import type { KernelSymbol } from '../symbols.ts';

export interface ImageOptions {
  /** Offsets behind the tokens, as since Linux 6.4. */
  readonly isNew: boolean;
  /** Addresses above the base are written as negative numbers. */
  readonly hasPerProcessor: boolean;
  readonly base: bigint;
  /** What stands before and behind. */
  readonly around: Uint8Array;
}

const PAIRS = ['re', 'ad', 'vf', 's_', 'fun', 'ction_', 'T'];

export function kallsymsImage(symbols: readonly KernelSymbol[], options: ImageOptions): Buffer {
  const tokens = Array.from({ length: 256 }, (_, code) =>
    code >= 0x21 && code < 0x7f ? String.fromCharCode(code) : (PAIRS[code - 0x80] ?? ''),
  );
  const names: number[] = [];
  const markers: number[] = [];
  for (const [index, { type, name }] of symbols.entries()) {
    if (index % 256 === 0) markers.push(names.length);
    const codes = compressed(type + name, tokens);
    if (codes.length < 0x80) names.push(codes.length);
    else names.push((codes.length & 0x7f) | 0x80, codes.length >> 7);
    names.push(...codes);
  }
  const texts = Buffer.from(`${tokens.join('\0')}\0`, 'latin1');
  let place = 0;
  const index = tokens.map((token) => {
    const at = place;
    place += token.length + 1;
    return at;
  });
  const base = Buffer.alloc(8);
  base.writeBigUInt64LE(options.base);
  const offsets = symbols.map(({ address }) => offsetOf(address, options));
  const list = [words(offsets), base];
  const rest = [
    words([symbols.length]),
    Buffer.from(names),
    words(markers),
    texts,
    Buffer.from(Uint16Array.from(index).buffer),
  ];
  const tables = options.isNew ? [...rest, ...list] : [...list, ...rest];
  return Buffer.concat([options.around, ...tables, options.around].map(padded));
}

function offsetOf(address: bigint, { base, hasPerProcessor }: ImageOptions): number {
  if (!hasPerProcessor) return Number(BigInt.asIntN(32, address - base));
  return Number(address >= base ? base - 1n - address : address);
}

function compressed(text: string, tokens: readonly string[]): number[] {
  const codes: number[] = [];
  for (let at = 0; at < text.length; ) {
    const pair = PAIRS.findIndex((one) => text.startsWith(one, at));
    const code = pair >= 0 ? 0x80 + pair : text.charCodeAt(at);
    codes.push(code);
    at += tokens[code]!.length;
  }
  return codes;
}

const words = (numbers: readonly number[]): Buffer => Buffer.from(Int32Array.from(numbers).buffer);

const padded = (bytes: Uint8Array): Buffer => Buffer.concat([bytes], (bytes.length + 7) & ~7);
