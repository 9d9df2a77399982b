/**
 * What GitHub code scanning accepts; beyond it, the whole file is refused. We drop the least
 * important part instead and say so in the file:
 *
 *   30,000 races  →  the worst 25,000, and the notice "left out 5,000 of 30,000 races: …"
 *
 * The numbers are from GitHub's documentation, "SARIF results exceed one or more limits". Limits
 * that a report cannot reach: rules (25,000), tags a rule (20), locations a result (1,000). Not
 * checked: the size of the compressed file (10 MB).
 */
import type { Notification } from 'sarif';
import type { Race, Report } from '../model.ts';
import { levelOf } from './rules.ts';

export const githubLimits = { results: 25_000, stepsPerResult: 10_000 } as const;

const rank = { error: 0, warning: 1, note: 2, none: 3 } as const;

/** All of them, or the worst ones if there are too many. */
export function withinLimit<T extends { readonly race: Race }>(results: readonly T[]): T[] {
  if (results.length <= githubLimits.results) return [...results];
  return [...results]
    .sort((a, b) => rank[levelOf(a.race.verdict)] - rank[levelOf(b.race.verdict)])
    .slice(0, githubLimits.results);
}

export function truncationNotices({ races }: Report): Notification[] {
  const { results, stepsPerResult } = githubLimits;
  const surplus = races.length - results;
  const long = races.filter((race) => (race.steps?.length ?? 0) > stepsPerResult);
  const notices: string[] = [];
  if (surplus > 0) {
    notices.push(`left out ${surplus} of ${races.length} races: GitHub takes ${results}`);
  }
  if (long.length > 0) {
    const which = long.map((race) => race.id).join(', ');
    notices.push(`left out the first steps of ${which}: GitHub takes ${stepsPerResult} a race`);
  }
  return notices.map((text) => ({ level: 'warning', message: { text } }));
}
