/**
 * Many small programs in one recording, each in a folder of its own, one after the other. Starting
 * a recorder costs more than most of them; and since each is forked and waited for before the next,
 * none can race with another. A race belongs to the program from which its processes descend.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import type { Race, Report } from '../../src/report/model.ts';
import type { deadheat, Ended } from './deadheat.ts';

export interface Batch {
  ended: Ended;
  /** For each program, its races as `KIND OBJECT: CALL ‖ CALL`; numbers are shown as #. */
  races: ReadonlyMap<string, readonly string[]>;
}

/** A folder that everyone can use, for somebody else to remove. */
export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-batch-'));
  chmodSync(folder, 0o777);
  return folder;
}

/** `commands` by name; each has a word that is a path to a file of that name. */
export function recordBatch(
  commands: ReadonlyMap<string, string>,
  recorder: string,
  run: typeof deadheat,
): Batch {
  const folder = openFolder();
  const lines = [...commands].map(
    ([name, command]) => `(mkdir ${name} && cd ${name} && exec ${command})`,
  );
  const options = ['-q', '--no-validate', '--recorder', recorder, '--json', 'report.json'];
  const ended = run(['procs', ...options, '--', 'sh', '-c', lines.join('\n')], { cwd: folder });
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
  rmSync(folder, { recursive: true, force: true });
  const races = new Map<string, string[]>([...commands.keys()].map((name) => [name, []]));
  for (const race of report.races) {
    const name = programOf(race, report, races) ?? '?';
    races.set(name, [...(races.get(name) ?? []), summaryOf(race, join(folder, name))].sort());
  }
  return { ended, races };
}

function programOf(
  { accesses: [access] }: Race,
  { tasks = [] }: Report,
  known: ReadonlyMap<string, unknown>,
): string | undefined {
  let pid = access?.pid;
  for (;;) {
    const task = tasks.find((one) => one.pid === pid);
    if (!task?.parent) return undefined;
    const paths = task.command?.filter((word) => /^\/\S+$/.test(word)) ?? [];
    const name = paths.map((path) => parse(path).name).find((one) => known.has(one));
    if (name !== undefined) return name;
    pid = task.parent.pid;
  }
}

function summaryOf({ kind, object, accesses }: Race, folder: string): string {
  const calls = accesses.map(({ what }) => what.replace(/\(.*/, '')).sort();
  const inside = object.name === folder ? 'folder' : object.name.replace(`${folder}/`, '');
  const shown = inside.replace(/\b\d+(:\d+)?\b/g, '#');
  return `${kind} ${shown}: ${calls.join(' ‖ ')}`;
}
