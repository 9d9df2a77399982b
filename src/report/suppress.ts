/**
 * Takes the suppressed races out of a report and counts them under the rule that did it:
 *
 *   races R1, R2, R3 with rules `race:foo` (fits R1, R3) and `path:/tmp/` (fits R3, and no other)
 *   →  races R2, suppressed { 'race:foo': 2 }, and both rules count as used
 *
 * As in ThreadSanitizer the first rule that fits gets the race. A rule is unused only if it fits
 * no race at all, so that a rule in the shadow of another is not reported as stale.
 */
import { unreachable } from '../base/assert.ts';
import { framesOf } from './frames.ts';
import type { Race, Report, Site } from './model.ts';
import { ruleText, type Suppression, type SuppressionType } from './suppressions.ts';
import { matchesTemplate } from './template.ts';

export interface Suppressed {
  readonly report: Report;
  /** Rules that fitted no race: probably stale, or misspelt. */
  readonly unused: Suppression[];
}

export function applySuppressions(report: Report, rules: readonly Suppression[]): Suppressed {
  const used = new Set<Suppression>();
  const counts = new Map(Object.entries(report.suppressed ?? {}));
  const races = report.races.filter((race) => {
    const fitting = rules.filter((rule) => fits(rule, race));
    for (const rule of fitting) used.add(rule);
    const [first] = fitting;
    if (first === undefined) return true;
    const text = ruleText(first);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return false;
  });
  return {
    report: {
      ...report,
      races,
      ...(counts.size > 0 && { suppressed: Object.fromEntries(counts) }),
    },
    unused: rules.filter((rule) => !used.has(rule)),
  };
}

/** Whether a report that they are applied to would leave it out. */
export const isSuppressed = (race: Race, rules: readonly Suppression[]): boolean =>
  rules.some((rule) => fits(rule, race));

function fits(rule: Suppression, race: Race): boolean {
  return subjects(rule.type, race).some(
    (text) => text !== undefined && matchesTemplate(rule.pattern, text),
  );
}

/** The texts of a race that a rule of this type looks at. */
function subjects(type: SuppressionType, race: Race): (string | undefined)[] {
  const { accesses, object } = race;
  switch (type) {
    case 'race':
      return [
        object.name,
        ...accesses.flatMap((access) => [access.process, access.what]),
        ...accesses.flatMap((access) => framesOf(access).flatMap(namesIn)),
      ];
    case 'race_top':
      return accesses.flatMap((access) => framesOf(access).slice(0, 1).flatMap(namesIn));
    case 'called_from_lib':
      return accesses.flatMap((access) => framesOf(access).map((frame) => frame.module));
    case 'process':
      return accesses.map((access) => access.process);
    case 'path':
      return [object.name];
  }
  return unreachable(type, 'suppression type');
}

const namesIn = (frame: Site): (string | undefined)[] => [frame.function, frame.file, frame.module];
