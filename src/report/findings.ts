/** Which races a user has to do something about, and which were looked into and come to nothing. */
import type { Race, Verdict } from './model.ts';

/** Tried, and nothing bad came of it, or nothing at all. */
const SETTLED: ReadonlySet<Verdict> = new Set(['benign', 'diverged']);

export const isFinding = ({ verdict }: Race): boolean => !SETTLED.has(verdict);

/** Proven ones first; those that came to nothing last. */
export function byVerdict(a: Race, b: Race): number {
  return RANKS.indexOf(a.verdict) - RANKS.indexOf(b.verdict);
}

const RANKS: readonly Verdict[] = [
  'harmful',
  'confirmed',
  'predicted',
  'detected',
  'tolerated',
  'benign',
  'diverged',
];
