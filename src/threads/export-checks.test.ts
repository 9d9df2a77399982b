/** Each check as a script that is read back and decides the same. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { refines } from './csp/algebra/refinement.ts';
import { Semantics } from './csp/algebra/semantics.ts';
import { parseCspm } from './csp/cspm/parser.ts';
import { exportChecks } from './export-checks.ts';
import { ThreadTrace } from './model/trace.ts';
import { predictRaces } from './predict/predict-races.ts';
import { importStd } from './std/import.ts';

function scriptsOf(name: string, options: { sound: boolean; mostScripts?: number }) {
  const trace = new ThreadTrace();
  importStd(fileURLToPath(new URL(`csp/testdata/${name}.std`, import.meta.url)), trace);
  const predicted = predictRaces(trace, { ...options, budgetMs: Number.POSITIVE_INFINITY });
  const scripts = new Map<string, string>();
  const exported = exportChecks(trace, predicted, options, (file, text) => scripts.set(file, text));
  return { scripts, exported };
}

function verdictOf(text: string): string {
  const script = parseCspm(text);
  if (!script.ok) throw script.error;
  const claim = script.value.find((one) => one.kind === 'assert')!;
  return refines(new Semantics(script.value), claim.specification, claim.implementation, 10_000)
    .kind;
}

it('names what it is about, and what became of it', () => {
  const { scripts, exported } = scriptsOf('listing-1', { sound: false });
  expect([...scripts.keys()]).toEqual(['y-T1-T2.race.csp']);
  expect(exported).toEqual({ scripts: 1, leftOut: 0 });
  const [text] = scripts.values();
  expect(text).toMatch(/^-- T0: T1\n-- T1: T2\n-- V0: y\n/);
});

it.each([false, true])('reads back, and decides the same (sound: %s)', (sound) => {
  const { scripts } = scriptsOf('guarded-by-flag', { sound });
  expect([...scripts.keys()]).toEqual([`x-T1-T2.${sound ? 'no-race' : 'race'}.csp`]);
  for (const text of scripts.values()) expect(verdictOf(text)).toBe(sound ? 'holds' : 'fails');
});

it('leaves out what is too much', () => {
  const { scripts, exported } = scriptsOf('listing-1', { sound: false, mostScripts: 0 });
  expect(scripts.size).toBe(0);
  expect(exported).toEqual({ scripts: 0, leftOut: 1 });
});
