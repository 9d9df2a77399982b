/** Which races a user has to do something about, and which were looked into and come to nothing. */
import type { Race, Verdict } from './model.ts';

/** Tried, and nothing bad came of it, or nothing at all. */
const SETTLED: ReadonlySet<Verdict> = new Set(['benign', 'diverged']);

export const isFinding = ({ verdict }: Race): boolean => !SETTLED.has(verdict);

/** Between threads: shown by running it, or by the very order that was traced. */
export const isProven = ({ verdict, rung }: Race): boolean =>
  verdict === 'confirmed' || rung === 'happens-before';

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
