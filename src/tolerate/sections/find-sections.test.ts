import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseElf } from '../../binary/elf/elf-file.ts';
import { scratchFolder } from '../../binary/testdata/compiled.ts';
import { findSections } from './find-sections.ts';
import type { InsideAction, SectionPlan } from './section-plan.ts';

const testdata = join(dirname(fileURLToPath(import.meta.url)), '..', 'testdata');

/** By the name of the function in which they begin. */
function sectionsOf(source: string, ...options: string[]): Map<string, SectionPlan[]> {
  const output = join(scratchFolder(), 'program');
  const compiler = source.endsWith('.cc') ? 'g++' : 'gcc';
  execFileSync(compiler, [join(testdata, source), ...options, '-o', output], { stdio: 'pipe' });
  const groups = new Map<string, SectionPlan[]>();
  for (const plan of findSections(parseElf(readFileSync(output)))) {
    const name = plan.entry.code.name;
    groups.set(name, [...(groups.get(name) ?? []), plan]);
  }
  return groups;
}

const actionsOf = (plan: SectionPlan): InsideAction[] =>
  plan.parts.flatMap(({ actions }) => [...actions.values()]);

const countOf = (plan: SectionPlan, kind: InsideAction['kind']): number =>
  actionsOf(plan).filter((action) => action.kind === kind).length;

describe.each([['-O0'], ['-O2'], ['-O2', '-no-pie'], ['-O2', '-fno-plt']])(
  'sections of C (%s %s)',
  (...options) => {
    const sections = (): Map<string, SectionPlan[]> => sectionsOf('locks.c', ...options);

    it('are found, with what they are about', () => {
      const found = sections();
      const only = (name: string): SectionPlan => {
        expect([name, found.get(name)?.length]).toEqual([name, 1]);
        return found.get(name)![0]!;
      };
      expect(found.has('main')).toBe(false);
      expect(found.has('lock_account')).toBe(false);
      expect(only('reads_table').verdict).toEqual({
        ...{ isolate: false, reason: 'under a read lock, which others may hold too' },
      });

      const simple = only('simple');
      expect(simple.entry).toMatchObject({ lock: 'a', kind: 'mutex', ifZero: false });
      expect(simple.verdict).toEqual({ isolate: true });
      expect(countOf(simple, 'redirect')).toBeGreaterThan(0);
      expect(simple.facts.mostWords).toBe(simple.facts.candidates);
      expect(actionsOf(simple)).toContainEqual({ kind: 'unlock', mayEnd: true });

      const [outer, inner] = found.get('nested')!;
      expect([outer!.facts.nests, inner!.facts.nests]).toEqual(['statically', 'no']);
      expect(outer!.facts.overlaps).toBe(false);
      expect(inner!.entry.lock).toBe('b');
      expect(found.get('overlapped')![0]!.facts).toMatchObject({ overlaps: true });
      expect(only('calls_simple').facts).toMatchObject({ nests: 'dynamically' });

      expect(only('in_loop').facts).toMatchObject({ touchesInLoops: true, mostWords: undefined });
      expect(only('waits').facts).toMatchObject({ waits: true, touchesInLoops: false });
      expect(only('library').facts).toMatchObject({ libraryCalls: ['printf'], ownCalls: ['add'] });
      expect(only('by_pointer').facts.computedCalls).toBe(1);

      expect(only('wrapped').entry).toMatchObject({ wrapper: 'lock_account', lock: '?' });
      expect(only('tried').entry).toMatchObject({ wrapper: 'try_account', ifZero: true });
      expect(only('checked').facts.leaves).toBe(false);
      expect(only('writes_table').entry).toMatchObject({ kind: 'write lock', lock: 'table_lock' });
      expect(only('spins').entry.kind).toBe('spin lock');
      expect(actionsOf(only('atomic'))).toContainEqual({ kind: 'commit', why: 'atomic' });
      const waiting = actionsOf(only('waits_for_others')).filter(({ kind }) => kind !== 'unlock');
      expect(waiting.length).toBeGreaterThan(1);
      expect(waiting).toEqual(waiting.map(() => ({ kind: 'commit', why: 'spin' })));
      expect(only('keeps_it')).toMatchObject({
        facts: { leaves: true },
        verdict: { isolate: true },
      });
      expect(only('jumps').verdict).toEqual({
        isolate: false,
        reason: expect.stringContaining('longjmp'),
      });
    });
  },
);

describe.each(['-O0', '-O1', '-O2'])('sections of C++ (%s)', (option) => {
  it('are found, inlined or not', () => {
    const found = sectionsOf('guards.cc', option);
    for (const name of ['guarded', 'waiting', 'exclusive']) {
      expect([name, found.get(name)?.map(({ verdict }) => verdict)]).toEqual([
        name,
        [{ isolate: true }],
      ]);
    }
    expect(found.get('guarded')![0]!.facts.libraryCalls).toContain('__cxa_throw');
    expect(found.get('waiting')![0]!.facts.waits).toBe(true);
    expect(found.get('exclusive')![0]!.entry.kind).toBe('write lock');
  });
});
