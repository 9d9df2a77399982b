/**
 * What is watched of an access. Debug registers have 1, 2, 4 or 8 bytes each, at an address that is a multiple of
 * that, and there are four:
 *
 *   8 bytes at 0x5003   →   1 at 0x5003, 4 at 0x5004, 2 at 0x5008, 1 at 0x500a
 *   a copy of 4096      →   the first four pieces; the rest is only compared, and of that no more than a bit
 *
 * A load conflicts with the stores of others, a store (or both at once) with all they do.
 */
import type { TouchedBytes } from '../binary/code/touched-memory.ts';
import type { WatchedBytes, WatchedFor } from './debug-target.ts';

/** Of x86. */
export const DEBUG_REGISTERS = 4;
/** Whatever is longer takes too long to read, twice in each window. */
const MOST_COMPARED = 256;

export interface WatchedAccess {
  readonly address: bigint;
  readonly size: number;
  readonly isStore: boolean;
  readonly isLoad: boolean;
  readonly pieces: readonly WatchedBytes[];
  readonly on: WatchedFor;
}

/** An instruction may touch two places (rep movsb): each in its turn. undefined if it touches none. */
export function watchedAccess(
  touched: readonly TouchedBytes[],
  turn: number,
): WatchedAccess | undefined {
  const chosen = touched[turn % Math.max(touched.length, 1)];
  if (chosen === undefined) return undefined;
  const { address, isWritten: isStore, isRead: isLoad } = chosen;
  const size = Math.min(chosen.size, MOST_COMPARED);
  return { address, size, isStore, isLoad, ...piecesWatched(address, size, isStore) };
}

/** What registers have of it, and whom they stop. */
export const piecesWatched = (
  address: bigint,
  size: number,
  isStore: boolean,
): Pick<WatchedAccess, 'pieces' | 'on'> => ({
  pieces: piecesOf(address, size),
  on: isStore ? 'load-or-store' : 'store',
});

const SIZES = [8, 4, 2, 1] as const;

/** The first ones, as many as there can be. */
function piecesOf(from: bigint, size: number): WatchedBytes[] {
  const pieces: WatchedBytes[] = [];
  for (let done = 0; done < size && pieces.length < DEBUG_REGISTERS; ) {
    const address = from + BigInt(done);
    const fitting = SIZES.find((one) => one <= size - done && address % BigInt(one) === 0n)!;
    pieces.push({ address, size: fitting });
    done += fitting;
  }
  return pieces;
}
