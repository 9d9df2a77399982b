/**
 * Linux paths and arguments are bytes, not text. We keep them as JavaScript strings and lose
 * nothing: valid UTF-8 decodes as usual, and each byte that is not part of it becomes a lone
 * surrogate U+DC80…U+DCFF (what Python calls `surrogateescape`).
 *
 *   caf\xe9.txt (Latin-1 bytes)  ->  'caf\udce9.txt'  ->  the same bytes again
 *
 * `printable` (printable.ts) is for showing such a string to people.
 */
import { isUtf8 } from 'node:buffer';

export { printable } from './printable.ts';

const REPLACEMENT = '\ufffd';
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeBytes(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = buffer.toString('utf8');
  // What is not UTF-8 has become this character; so nearly all need to be looked at only once.
  if (!text.includes(REPLACEMENT)) return text;
  return isUtf8(bytes) ? text : decodeWithEscapes(bytes);
}

export function encodeBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let plainFrom = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const isPairLead = unit >= 0xd800 && unit <= 0xdbff;
    if (isPairLead) i++;
    else if (unit >= 0xdc80 && unit <= 0xdcff) {
      parts.push(Buffer.from(text.slice(plainFrom, i), 'utf8'), Buffer.of(unit - 0xdc00));
      plainFrom = i + 1;
    }
  }
  parts.push(Buffer.from(text.slice(plainFrom), 'utf8'));
  return Buffer.concat(parts);
}

/** NUL-terminated byte strings, one after the other. */
export function byteStrings(block: Uint8Array): string[] {
  const strings: string[] = [];
  for (let start = 0; start < block.length; ) {
    const end = block.indexOf(0, start);
    const stop = end < 0 ? block.length : end;
    strings.push(decodeBytes(block.subarray(start, stop)));
    start = stop + 1;
  }
  return strings;
}

function decodeWithEscapes(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at]!;
    const length = sequenceLength(lead);
    const piece = length === 1 ? undefined : bytes.subarray(at, at + length);
    if (piece && isUtf8(piece)) {
      text += strictUtf8.decode(piece);
      at += length;
    } else {
      text += String.fromCharCode(lead < 0x80 ? lead : 0xdc00 + lead);
      at++;
    }
  }
  return text;
}

/** How many bytes the UTF-8 sequence that starts with this byte would have. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  if (lead >= 0xc0) return 2;
  return 1;
}
