/**
 * The two orders of a race between processes: the one that was recorded, and the other one, which is tried.
 *
 *   load-store      A, B        the other way round: B, A
 *   wait-wakeups    the wait gets the wakeup that came second, and the first is held back
 *   wakeup-waits    the other one of those who wait gets it
 *   signal          the signal arrives before what it came after, or after what it came before
 *
 * The sides of a race have letters, in the order in which they happened, and keep them in all pictures.
 *
 * What a call that waits or looks at something has found is true of the recorded order alone: `wait4(-1) = 172` must
 * not stand before the end of 172. In the other order it is `wait4(-1)`.
 */
import type { Access, Race } from './model.ts';

export const LETTERS = ['A', 'B', 'C'] as const;

export interface Side {
  readonly letter: string;
  readonly index: number;
  readonly access: Access;
}

/** The report tells the later one first. */
export const sidesOf = ({ accesses }: Pick<Race, 'accesses'>): Side[] =>
  accesses.toReversed().map((access, index) => ({ letter: LETTERS[index] ?? '?', index, access }));

export function bothOrders(race: Race): { recorded: Side[]; other: Side[] } {
  const recorded = sidesOf(race);
  return { recorded, other: otherOrder(race.kind, recorded).map(withoutResult) };
}

const FINDS_OUT: ReadonlySet<string> = new Set(['load', 'wait']);

function withoutResult(side: Side): Side {
  const { access } = side;
  if (!FINDS_OUT.has(access.op)) return side;
  return { ...side, access: { ...access, what: access.what.replace(/\) = -?\w+$/, ')') } };
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
  return sides.toReversed();
}

/** The two with this role change places. */
function exchanged(sides: readonly Side[], role: string): Side[] {
  const [one, two] = sides.filter(({ access }) => access.op === role);
  return sides.map((side) => (side === one ? (two ?? side) : side === two ? (one ?? side) : side));
}
