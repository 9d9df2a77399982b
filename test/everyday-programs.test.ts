/**
 * Programs that nobody here wrote and that are known to be in order: what is reported of them would
 * be noise. And the race by which the RacePro paper explains itself: `ps | grep X`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { type Batch, recordBatch } from './harness/batch.ts';
import { deadheat, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const SCRIPTS = join(PROJECT, 'test/everyday-programs');

/** All that may be said of these; of the others, nothing. */
const KNOWN: Record<string, RegExp> = {
  sqlite3:
    /^load-store (db: (newfstatat|pread64) ‖ pwrite64|db: pwrite64 ‖ read|db-journal: .*\bnewfstatat\b.*)$/,
};

const NEEDED: Record<string, string> = { git: 'git', python: 'python3', sqlite3: 'sqlite3' };

const isThere = (program: string): boolean =>
  runToEnd('sh', ['-c', `command -v ${program}`], { cwd: '/' }).status === 0;

const scripts = readdirSync(SCRIPTS).filter((file) => {
  const needed = NEEDED[parse(file).name];
  if (needed === undefined || isThere(needed)) return true;
  console.warn(`${file} is left out: there is no ${needed} on this machine`);
  return false;
});

function commandOf(file: string): string {
  const interpreter = parse(file).ext === '.py' ? 'python3 -B' : 'sh -e';
  return `${interpreter} ${join(SCRIPTS, file)} >/dev/null || echo ${file} failed >&2`;
}

describe.each(['bpf', 'ptrace'])('with %s', (recorder) => {
  let batch: Batch;
  beforeAll(() => {
    const commands = new Map(scripts.map((file) => [parse(file).name, commandOf(file)]));
    batch = recordBatch(commands, recorder, deadheat);
  });

  it.each(scripts)('%s is in order', (file) => {
    const { name } = parse(file);
    const known = KNOWN[name];
    const unknown = batch.races.get(name)?.filter((race) => !known?.test(race));
    expect(unknown).toEqual([]);
  });

  it('every program did its work, and there are no other races', () => {
    expect(batch.ended.stderr).toBe('');
    expect(batch.races.get('?')).toBeUndefined();
  });

  it('finds in ps | grep X what figure 7 of the paper shows, and nothing else', () => {
    const figure = [
      'load-store /proc: fork ‖ getdents64',
      'load-store process: execve ‖ read',
      'wait-wakeups children of process: exit ‖ exit ‖ wait4',
    ];
    // ps may have looked before there was a grep; then it has not read of it.
    for (let attempt = 0; attempt < 30; attempt++) {
      const found = racesOfPs(recorder);
      expect(figure).toEqual(expect.arrayContaining(found));
      expect(found).toEqual(expect.arrayContaining([figure[0], figure[2]]));
      if (found.length === figure.length) return;
    }
    expect.fail('ps never saw grep');
  });
});

function racesOfPs(recorder: string): string[] {
  const cwd = scratchFolder();
  const options = ['-q', '--all', '--recorder', recorder, '--json', 'report.json'];
  deadheat(['procs', ...options, '--', 'sh', '-c', 'ps | grep X'], { cwd });
  const { races } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report;
  return races.map(({ kind, object, accesses }) => {
    const calls = accesses.map(({ what }) => what.replace(/\(.*/, '')).sort();
    return `${kind} ${object.name.replace(/ \d+$/, '')}: ${calls.join(' ‖ ')}`;
  });
}
