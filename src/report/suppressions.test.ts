import { describe, expect, it } from 'vitest';
import { UserError } from '../base/user-error.ts';
import { parseSuppressions, ruleText, unusedMessage } from './suppressions.ts';

function rulesIn(text: string): string[] {
  const parsed = parseSuppressions(text, 'tsan.supp');
  if (!parsed.ok) throw parsed.error;
  return parsed.value.map((rule) => `${rule.line} ${ruleText(rule)}`);
}

function errorIn(text: string): UserError {
  const parsed = parseSuppressions(text, 'tsan.supp');
  if (parsed.ok) throw new Error('expected an error');
  expect(parsed.error).toBeInstanceOf(UserError);
  return parsed.error;
}

describe('a file of suppressions', () => {
  it('holds rules, comments and blank lines', () => {
    const text = '# mine\n\nrace:foo\n  path:/tmp/a:b # c  \r\n\t#race:no\nprocess: ccache\n';
    expect(rulesIn(text)).toEqual(['3 race:foo', '4 path:/tmp/a:b # c', '6 process:ccache']);
  });

  it('may hold what only ThreadSanitizer understands', () => {
    expect(rulesIn('mutex:foo\nrace_top:bar\ndeadlock:x\nthread:y\nsignal:z')).toEqual([
      '2 race_top:bar',
    ]);
  });

  it('says where a type is unknown and what was meant', () => {
    const error = errorIn('race:foo\nraec:bar\n');
    expect(error.message).toBe('tsan.supp:2: unknown suppression type raec');
    expect(error.remedy).toContain('did you mean race?');
    expect(errorIn('frobnicate:x').remedy).toMatch(/^the types are race, race_top/);
    expect(errorIn('just words').message).toContain('tsan.supp:1: unknown suppression type');
  });

  it.each(['race:', 'race', 'race:   '])('says where the pattern is missing: %j', (line) => {
    expect(errorIn(`#\n${line}`).message).toBe('tsan.supp:2: suppression race has no pattern');
  });

  it('names the rule that matched nothing', () => {
    const rule = { type: 'race', pattern: 'foo', file: 'tsan.supp', line: 7 } as const;
    expect(unusedMessage(rule)).toBe('tsan.supp:7: suppression race:foo matched nothing');
  });
});
