/**
 * Suppressions in ThreadSanitizer's syntax: what a team has looked at and decided to live with.
 *
 *   # libfoo keeps statistics without a lock
 *   race:^foo_count_          a function, file, module, program, call or object of either side
 *   race_top:bump             the same, innermost frames only
 *   called_from_lib:libfoo.so the module of any frame
 *   process:ccache            the program on either side
 *   path:/tmp/.X11-unix/      the object
 *
 * Patterns are explained in template.ts. ThreadSanitizer's own types that have no meaning here
 * (`thread`, `mutex`, `signal`, `deadlock`) are skipped, so that one file can serve both tools.
 * Unlike there, blanks around the pattern do not count.
 */
import { err, ok, type Result } from '../base/result.ts';
import { closest } from '../base/similar-names.ts';
import { UserError } from '../base/user-error.ts';

export const suppressionTypes = ['race', 'race_top', 'called_from_lib', 'process', 'path'] as const;

export type SuppressionType = (typeof suppressionTypes)[number];

export interface Suppression {
  readonly type: SuppressionType;
  readonly pattern: string;
  /** Where the rule stands, for messages. */
  readonly file: string;
  readonly line: number;
}

const typesOfOthers: readonly string[] = ['thread', 'mutex', 'signal', 'deadlock'];

/** `file` is only for the messages. */
export function parseSuppressions(text: string, file: string): Result<Suppression[], UserError> {
  const rules: Suppression[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    const rule = parseRule(content, file, index + 1);
    if (!rule.ok) return rule;
    if (rule.value !== undefined) rules.push(rule.value);
  }
  return ok(rules);
}

/** The rule as it is written: also its name in `report.suppressed`. */
export function ruleText(rule: Suppression): string {
  return `${rule.type}:${rule.pattern}`;
}

export function unusedMessage(rule: Suppression): string {
  return `${rule.file}:${rule.line}: suppression ${ruleText(rule)} matched nothing`;
}

function parseRule(
  content: string,
  file: string,
  line: number,
): Result<Suppression | undefined, UserError> {
  const where = `${file}:${line}`;
  const colon = content.indexOf(':');
  const type = (colon === -1 ? content : content.slice(0, colon)).trimEnd();
  const pattern = colon === -1 ? '' : content.slice(colon + 1).trimStart();
  if (typesOfOthers.includes(type)) return ok(undefined);
  if (!isSuppressionType(type)) return unknownType(where, type);
  if (pattern === '') {
    const example = `write what to suppress after the colon, such as ${type}:foo`;
    return err(new UserError(`${where}: suppression ${type} has no pattern`, example));
  }
  return ok({ type, pattern, file, line });
}

function unknownType(where: string, type: string): Result<never, UserError> {
  const guess = closest(type, suppressionTypes);
  const known = `the types are ${suppressionTypes.join(', ')}`;
  const remedy = guess === undefined ? known : `did you mean ${guess}? ${known}`;
  return err(new UserError(`${where}: unknown suppression type ${type}`, remedy));
}

function isSuppressionType(text: string): text is SuppressionType {
  return (suppressionTypes as readonly string[]).includes(text);
}
