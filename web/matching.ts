/** Which races the user wants to see: by verdict, and by words that are all in them. */
import type { Race, Site, Verdict } from '../src/report/model.ts';

export interface Wanted {
  readonly text: string;
  readonly hidden: ReadonlySet<Verdict>;
}

export function matchingRaces(races: readonly Race[], { text, hidden }: Wanted): Race[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return races.filter(
    (race) => !hidden.has(race.verdict) && (words.length === 0 || hasAll(race, words)),
  );
}

const hasAll = (race: Race, words: readonly string[]): boolean => {
  const all = searchable(race);
  return words.every((word) => all.includes(word));
};

function searchable(race: Race): string {
  const { id, kind, verdict, title, object, evidence = '', hint = '', accesses } = race;
  const sides = accesses.flatMap(({ process, pid, threadName = '', op, what, site, stack }) => [
    ...[process, String(pid), threadName, op, what],
    ...[site, ...stack].map(placeWords),
  ]);
  return [id, kind, verdict, title, object.type, object.name, evidence, hint, ...sides]
    .join('\n')
    .toLowerCase();
}

const placeWords = ({ function: name = '', file = '', line, module = '' }: Site): string =>
  `${name} ${file}:${line ?? ''} ${module}`;
