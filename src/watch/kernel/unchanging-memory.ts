/** Parts of memory that stay as they are, such as tables of a kernel: each piece is asked for once. */
import type { ReadMemory } from '../gdb/remote-system.ts';

const PIECE = 2048n;
const MOST_PIECES = 20_000;

export function unchanging(read: ReadMemory): ReadMemory {
  const pieces = new Map<bigint, Uint8Array>();
  return async (address, size) => {
    const parts: Uint8Array[] = [];
    for (let at = address; at < address + BigInt(size); ) {
      const start = at - (at % PIECE);
      let piece = pieces.get(start);
      if (piece === undefined) {
        piece = await read(start, Number(PIECE));
        if (pieces.size >= MOST_PIECES) pieces.clear();
        pieces.set(start, piece);
      }
      const end = Math.min(piece.length, Number(address + BigInt(size) - start));
      const part = piece.subarray(Number(at - start), end);
      parts.push(part);
      at = start + PIECE;
      if (piece.length < Number(PIECE)) break;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  };
}
