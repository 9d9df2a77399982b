import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { findRun, listRuns } from './find-run.ts';
import type { NewRunInfo } from './new-run-info.ts';
import { openRunDirectory } from './open-run.ts';
import { createRun } from './run-directory.ts';
import { runNames } from './run-names.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-runs-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const info: NewRunInfo = {
  version: '0.1.0',
  engine: 'procs',
  command: ['make', 'caf\udce9'],
  cwd: '/home/me',
};
const threads: NewRunInfo = { ...info, engine: 'threads' };
const create = (kind = info) => createRun(kind, { folder });

/** The date alone decides which run is the newest. */
function startedAt(name: string, date: string): void {
  findRun(name, folder).update({ startedAt: date });
}

describe('a new run', () => {
  it('gets the next number of its engine', () => {
    expect(create().name).toBe('procs-1');
    expect(create(threads).name).toBe('threads-1');
    fs.mkdirSync(join(folder, '.deadheat', 'procs-9'));
    fs.mkdirSync(join(folder, '.deadheat', 'procs-x'));
    expect(create().name).toBe('procs-10');
  });

  it('keeps the repository clean, but does not insist', () => {
    create();
    const ignored = join(folder, '.deadheat', '.gitignore');
    expect(fs.readFileSync(ignored, 'utf8')).toBe('*\n');
    fs.rmSync(ignored);
    create();
    expect(fs.existsSync(ignored)).toBe(false);
  });

  it('is found again as it was, and after changes', () => {
    const run = create();
    expect(run.info).toMatchObject({ ...info, schema: 1, state: 'recording' });
    expect(openRunDirectory(run.path).info).toEqual(run.info);
    run.update({ state: 'interrupted', reason: 'Ctrl-C', exit: { signal: 'SIGINT' } });
    expect(findRun('procs-1', folder).info).toEqual(run.info);
    expect(run.info).toMatchObject({ state: 'interrupted', exit: { signal: 'SIGINT' } });
    expect(fs.readdirSync(run.path)).toEqual(['run.json']);
  });

  it('may be anywhere that is empty', () => {
    const run = createRun(info, { folder, output: 'a/b' });
    expect(run.path).toBe(join(folder, 'a/b'));
    expect(run.name).toBe(run.path);
    expect(run.traceFile).toBe(join(folder, 'a/b/trace.bin'));
    expect(findRun('./a/b', folder).info).toEqual(run.info);
    expect(fs.existsSync(join(folder, '.deadheat'))).toBe(false);
  });

  it('does not touch what is there', () => {
    fs.mkdirSync(join(folder, 'mine'));
    fs.writeFileSync(join(folder, 'mine', 'thesis.tex'), 'x');
    expect(() => createRun(info, { folder, output: 'mine' })).toThrow(/mine is not empty/);
    expect(() => createRun(info, { folder, output: 'mine/thesis.tex' })).toThrow(/cannot create/);
    expect(fs.readdirSync(join(folder, 'mine'))).toEqual(['thesis.tex']);
  });

  it('advises where to go if it may not write', () => {
    const error = thrownBy(() => createRun(info, { folder: '/proc' }));
    expect(error.message).toContain('cannot create /proc/.deadheat');
    expect(error.remedy).toContain('-o DIR');
    expect(error.status).toBe(ExitStatus.unavailable);
    fs.writeFileSync(join(folder, '.deadheat'), 'a file');
    expect(() => create()).toThrow(/cannot create/);
  });
});

describe('finding a run', () => {
  it('takes the one that started last for latest', () => {
    for (const kind of [info, info, threads]) create(kind);
    startedAt('procs-1', '2026-01-03T00:00:00.000Z');
    startedAt('procs-2', '2026-01-01T00:00:00.000Z');
    startedAt('threads-1', '2026-01-02T00:00:00.000Z');
    expect(findRun('latest', folder).name).toBe('procs-1');
    fs.rmSync(join(folder, '.deadheat/procs-1/run.json'));
    expect(findRun('latest', folder).name).toBe('threads-1');
  });

  it('takes the higher number for latest when two started at once', () => {
    for (let i = 0; i < 10; i++) create();
    for (const name of runNames(folder)) startedAt(name, '2026-01-01T00:00:00.000Z');
    expect(findRun('latest', folder).name).toBe('procs-10');
  });

  it('says what there is instead', () => {
    expect(thrownBy(() => findRun('latest', folder)).message).toContain('no runs in');
    for (const kind of [info, info, info, info, threads]) create(kind);
    expect(thrownBy(() => findRun('prcs-2', folder)).message).toBe(
      'no run prcs-2; the nearest are procs-2, procs-1, procs-3',
    );
  });

  it('refuses what is no run', () => {
    expect(() => findRun(folder)).toThrow(/is not a run directory: it has no run.json/);
    fs.writeFileSync(join(folder, '.deadheat'), 'a file');
    expect(() => findRun('latest', folder)).toThrow(/cannot read .*ENOTDIR/);
  });
});

describe('the list of runs', () => {
  it('is empty where there are none', () => {
    expect(listRuns(folder)).toEqual([]);
  });

  it('shows broken ones with the reason, last', () => {
    for (let i = 0; i < 6; i++) create();
    const spoil = (name: string, contents: string) =>
      fs.writeFileSync(join(folder, '.deadheat', name, 'run.json'), contents);
    spoil('procs-2', '{"schema": 1, "engine"');
    spoil('procs-3', '{"schema": 7}');
    spoil('procs-4', '{"schema": 1, "version": 5}');
    spoil('procs-5', 'null');
    fs.rmSync(join(folder, '.deadheat/procs-6/run.json'));
    startedAt('procs-1', '2026-01-01T00:00:00.000Z');
    const listed = listRuns(folder).map((entry) => [
      entry.name,
      'run' in entry ? 'fine' : entry.broken.replace(folder, ''),
    ]);
    expect(listed).toEqual([
      ['procs-1', 'fine'],
      ['procs-6', '/.deadheat/procs-6 is not a run directory: it has no run.json'],
      ['procs-5', expect.stringMatching(/damaged: .*expected object/)],
      ['procs-4', expect.stringMatching(/damaged: .*version/)],
      ['procs-3', expect.stringMatching(/newer deadheat \(schema 7, this one reads 1\)/)],
      ['procs-2', expect.stringMatching(/damaged: .*JSON/)],
    ]);
  });
});

function thrownBy(act: () => unknown): UserError {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
