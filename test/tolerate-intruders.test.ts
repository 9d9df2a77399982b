import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Race } from '../src/report/model.ts';
import { parseReport } from '../src/report/parse.ts';
import { deadheat, deadheatAsPlainUser, type Ended } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { toleratedProgram } from './harness/tolerated-program.ts';

const program = (): string => toleratedProgram('intruders.c', '-fno-builtin');
type Command = typeof deadheat;

interface Told extends Ended {
  readonly races: readonly Race[];
  readonly warnings: readonly string[];
}

function run(command: Command, path: string, ...args: string[]): Told {
  const cwd = scratchFolder();
  copyFileSync(path, join(cwd, 'program'));
  const ended = command(['tolerate', '-q', '-o', 'run', '--', './program', ...args], { cwd });
  const told = join(cwd, 'run', 'report.json');
  const report = parseReport(readFileSync(told, 'utf8'), told);
  if (!report.ok) throw report.error;
  const { races, warnings } = report.value;
  return { ...ended, races, warnings: warnings ?? [] };
}

const functionsOf = (race: Race): string[] =>
  race.accesses[1]!.stack.flatMap(({ function: name }) => (name === undefined ? [] : [name]));

/** Who has changed the variables of the section in main, as far as they were caught. */
const intrudersOf = (races: readonly Race[]): Map<string, string[]> =>
  new Map(
    races
      .filter(({ accesses }) => accesses[0]!.site.function === 'main')
      .filter((race) => functionsOf(race).length > 0)
      .map((race) => [race.object.name, functionsOf(race)]),
  );

const LONGEST = 64_000;

/** Whoever is to be caught has to come while the section runs: others may have all processors for a while. */
function untilCaught(command: Command, path: string, variables: readonly string[]) {
  const caught = new Map<string, string[]>();
  for (let milliseconds = 2000; milliseconds <= LONGEST; milliseconds *= 2) {
    const told = run(command, path, `${milliseconds}`);
    expect(told).toMatchObject({ status: 0, stdout: expect.stringMatching(/^done\n/) });
    expect(told.warnings).toEqual([]);
    for (const [variable, functions] of intrudersOf(told.races)) {
      expect(functions).not.toContain('by_right');
      caught.set(variable, functions);
    }
    if (variables.every((variable) => caught.has(variable))) break;
  }
  return caught;
}

describe('who changes variables of sections', () => {
  it('is told with the stack: without a lock, by libc, under another lock, in a short-lived thread', () => {
    const variables = ['plain', 'copied', 'guarded', 'passing'];
    const caught = untilCaught(deadheat, program(), variables);
    expect(caught.get('plain')).toEqual(expect.arrayContaining(['meddle', 'meddler']));
    expect(caught.get('copied')).toEqual(expect.arrayContaining(['copy_there', 'copier']));
    expect(caught.get('guarded')).toEqual(
      expect.arrayContaining(['under_the_wrong_lock', 'mistaken']),
    );
    expect(caught.get('passing')).toContain('pass_by');
  });

  it('is told to plain users, too, in their own programs', () => {
    const caught = untilCaught(deadheatAsPlainUser, program(), ['plain']);
    expect(caught.get('plain')).toEqual(expect.arrayContaining(['meddle', 'meddler']));
  });

  it('is not told where it is forbidden, but why', () => {
    const path = program();
    const warnings: string[] = [];
    for (let milliseconds = 2000; milliseconds <= LONGEST && warnings.length === 0; ) {
      const told = run(deadheatAsPlainUser, path, `${milliseconds}`, 'secretly');
      expect(told.status).toBe(0);
      expect(told.races.every((race) => functionsOf(race).length === 0)).toBe(true);
      warnings.push(...told.warnings);
      milliseconds *= 2;
    }
    expect(warnings.join('\n')).toMatch(
      /who changed the variables is not known: .*EACCES.*cap_perfmon/,
    );
  });
});
