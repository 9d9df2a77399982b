/**
 * The two orders of a race between processes: the one that was recorded, and the other one, which was tried. Each
 * side has a letter, by when it happened.
 *
 *   load-store      A, B        the other way round: B, A
 *   wait-wakeups    the wait gets the wakeup that came second, and the first is held back
 *   wakeup-waits    the other one of those who wait gets it
 *   signal          the signal arrives before what it came after, or after what it came before
 */
import type { Access, Race } from './model.ts';

export interface Side {
  readonly letter: string;
  /** Of the letter. */
  readonly index: number;
  readonly access: Access;
}

export const LETTERS = ['A', 'B', 'C'] as const;

/** The report tells the later one first. */
export const sidesOf = ({ accesses }: Race): Side[] =>
  [...accesses]
    .reverse()
    .map((access, index) => ({ letter: LETTERS[index] ?? '?', index, access }));

export function bothOrders(race: Race): { recorded: Side[]; other: Side[] } {
  const recorded = sidesOf(race);
  return { recorded, other: otherOrder(race.kind, recorded) };
}

function otherOrder(kind: string, sides: readonly Side[]): Side[] {
  switch (kind) {
    case 'wait-wakeups':
      return exchanged(sides, 'wakeup');
    case 'wakeup-waits':
      return exchanged(sides, 'wait');
    case 'signal': {
      const met = sides.findIndex(({ access }) => access.op === 'load');
      const arrival = sides.findIndex(({ access }) => access.op === 'wait');
      const others = sides.filter((_, index) => index !== met);
      return met < arrival ? [...others, sides[met]!] : [sides[met]!, ...others];
    }
  }
  return [...sides].reverse();
}

/** The two with this role change places. */
function exchanged(sides: readonly Side[], role: string): Side[] {
  const [one, two] = sides.filter(({ access }) => access.op === role);
  return sides.map((side) => (side === one ? (two ?? side) : side === two ? (one ?? side) : side));
}
