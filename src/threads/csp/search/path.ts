/** A way through a machine: whose turn it is, and whom a signal then wakes. */
import type { Machine, Row } from './machine.ts';

export interface Move {
  readonly chain: number;
  /** A cell (Machine.wakes), or undefined. */
  readonly wake: number | undefined;
}

/** Where the moves lead to; undefined if one of them is not possible. */
export function follow(machine: Machine, moves: readonly Move[]): Row | undefined {
  const row = machine.start.slice();
  for (const move of moves) {
    if (!machine.isEnabled(row, move.chain)) return undefined;
    const wakes = machine.wakes(row, move.chain);
    const isSame = move.wake !== undefined && wakes.includes(move.wake);
    machine.take(row, move.chain, isSame ? move.wake : wakes[0]);
  }
  return row;
}

/**
 * A shorter way to the same race, if there is one that is made by leaving out the last steps of threads:
 * all of a thread's first, then half of them, and so on. Not always the shortest there is.
 */
export function trimmed(machine: Machine, moves: readonly Move[]): readonly Move[] {
  let kept = moves;
  for (let chain = 0; chain < machine.chains.length; chain++) {
    for (let count = kept.filter((move) => move.chain === chain).length; count > 0; ) {
      const shorter = withoutLast(kept, chain, count);
      const end = follow(machine, shorter);
      if (end !== undefined && machine.isRace(end)) {
        kept = shorter;
        count = Math.min(count, kept.filter((move) => move.chain === chain).length);
      } else {
        count = Math.floor(count / 2);
      }
    }
  }
  return kept;
}

function withoutLast(moves: readonly Move[], chain: number, count: number): readonly Move[] {
  let left = moves.filter((move) => move.chain === chain).length - count;
  return moves.filter((move) => move.chain !== chain || left-- > 0);
}
