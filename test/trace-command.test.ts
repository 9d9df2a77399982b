/** `deadheat trace`: traces that others made, shown, counted and written again. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadheat, MAIN, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const TRACE = `# a lost update
main|fork(worker)|1
main|acq(m)|2
main|w(counter)|3
main|rel(m)|4
worker|r(counter)|12
main|join(worker)|5
`;

function withRun(text = TRACE): string {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'a.std'), text);
  const { status, stderr } = deadheat(['trace', '--import', 'a.std'], { cwd });
  expect(stderr).toBe('deadheat: 6 events of 2 threads are in threads-1\n');
  expect(status).toBe(0);
  return cwd;
}

describe('an imported trace', () => {
  it('is a run like others', () => {
    const cwd = withRun();
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/threads-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ engine: 'threads', state: 'complete', recorder: 'import' });
    const listed = deadheat(['ls'], { cwd }).stdout;
    expect(listed).toMatch(/^threads-1 +complete .* deadheat trace --import a.std$/m);
  });

  it('goes where -o says', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'a.std'), TRACE);
    deadheat(['trace', '-q', '--import', 'a.std', '-o', 'there'], { cwd });
    const { stdout } = deadheat(['trace', './there', '--stats'], { cwd });
    expect(stdout).toMatch(/^events +6$/m);
  });

  it.each([
    ['after its run', ['trace', 'threads-1', '--print', '--from', '3', '--to', '4']],
    ['before its run', ['trace', '--print', '--from', '3', '--to', '4', 'threads-1']],
    ['without a run, which is the latest', ['trace', '--print', '--from', '3', '--to', '4']],
  ])('is printed, with options %s', (_, args) => {
    const { stdout, stderr, status } = deadheat(args, { cwd: withRun() });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['3', 'main', 'write', 'counter', 'place 3'],
      ['4', 'main', 'release', 'm', 'place 4'],
    ]);
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('is counted', () => {
    const { stdout } = deadheat(['trace', 'latest', '--stats'], { cwd: withRun() });
    expect(stdout).toMatch(/^threads +2$/m);
    expect(stdout).toMatch(/^variables +1, 1 of them shared$/m);
    expect(stdout).toMatch(/^ {2}acquire +1$/m);
  });

  it('comes out as it went in, into a file or to stdout', () => {
    const cwd = withRun();
    const without = TRACE.slice(TRACE.indexOf('\n') + 1);
    expect(deadheat(['trace', 'latest', '--export', '-'], { cwd }).stdout).toBe(without);
    const { status } = deadheat(['trace', 'threads-1', '--export', 'b.std'], { cwd });
    expect(status).toBe(0);
    expect(readFileSync(join(cwd, 'b.std'), 'utf8')).toBe(without);
    expect(readdirSync(cwd)).not.toContain('b.std.locs');
  });

  it('may be longer than anyone wants to read', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'long.std'), 'T0|r(x)|1\n'.repeat(200_000));
    const script = `"$0" "$1" trace -q --import long.std && { "$0" "$1" trace --print; echo $? >&2; } | head -2`;
    const { stdout, stderr } = runToEnd('sh', ['-c', script, process.execPath, MAIN], { cwd });
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toBe('0\n');
  });
});

describe('mistakes are one line and exit status 2', () => {
  it.each([
    [['--import', 'nowhere'], /cannot read 'nowhere' \(ENOENT\); /],
    [['--import', 'bad.std'], /bad.std:2:8: L is released, but nobody holds it; /],
    [['--import', 'a.std', 'threads-1'], /--import makes a run, and does nothing else; /],
    [['--import', 'a.std', '--print'], /--import makes a run/],
    [['threads-1'], /what is to be done with threads-1\?; give --print/],
    [['threads-1', '--print', '--stats'], /exclude each other/],
    [['threads-1', '--prnt'], /unknown option '--prnt'; did you mean --print\?/],
    [['threads-1', '--print', 'threads-2'], /too many arguments/],
    [['threads-9', '--print'], /no run threads-9; the nearest are threads-1/],
    [['--print', '--threads', 'x', 'threads-1'], /the trace has no thread 'x'; the nearest are/],
    [['--print', '--from', 'x'], /--from.*whole number/],
    [['threads-1', '--export', 'no/where'], /cannot write 'no\/where' \(ENOENT\)/],
    [['threads-1', '--export', '.deadheat/threads-1/trace.bin'], /is the trace itself/],
    [[], /missing required argument 'command'; /],
    [['procs-1', '--print'], /procs-1 is a run of 'procs', and this command is for those of/],
  ])('deadheat trace %s', (args, message) => {
    const cwd = withRun();
    writeFileSync(join(cwd, 'bad.std'), 'T0|r(x)|1\nT0|rel(L)|2\n');
    const procs = join(cwd, '.deadheat/procs-1');
    mkdirSync(procs);
    const info = readFileSync(join(cwd, '.deadheat/threads-1/run.json'), 'utf8');
    writeFileSync(join(procs, 'run.json'), info.replace('"threads"', '"procs"'));
    const before = readFileSync(join(cwd, '.deadheat/threads-1/trace.bin'));
    const { status, stderr, stdout } = deadheat(['trace', ...args], { cwd });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^deadheat: .+; .+\n$/);
    expect(stdout).toBe('');
    expect(status).toBe(2);
    expect(readFileSync(join(cwd, '.deadheat/threads-1/trace.bin'))).toEqual(before);
  });

  it('and so is a run of threads where one of processes is wanted', () => {
    const cwd = withRun();
    for (const command of ['detect', 'validate']) {
      const { status, stderr } = deadheat([command, 'threads-1'], { cwd });
      expect(stderr).toMatch(/threads-1 is a run of 'threads', and this command is for those of/);
      expect(status).toBe(2);
      expect(deadheat([command], { cwd }).stderr).toMatch(/there are no runs of 'procs' in/);
    }
  });

  it('a file that was not understood leaves a run that says so', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'bad.std'), 'T0|rel(L)|2\n');
    deadheat(['trace', '--import', 'bad.std'], { cwd });
    expect(deadheat(['ls'], { cwd }).stdout).toMatch(/^threads-1 +failed/);
  });
});

describe('a damaged trace', () => {
  it.each(['--print', '--stats', '--export=out.std'])('is refused by %s, or salvaged', (way) => {
    const cwd = withRun();
    const file = join(cwd, '.deadheat/threads-1/trace.bin');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, -10));
    writeFileSync(join(cwd, 'out.std'), 'older');
    const refused = deadheat(['trace', 'latest', way], { cwd });
    expect(refused.stderr).toMatch(/trace.bin: chunk \d+ at byte \d+: cut short; .*--salvage/);
    expect(refused.stdout).toBe('');
    expect(refused.status).toBe(2);
    expect(readFileSync(join(cwd, 'out.std'), 'utf8')).toBe('older');
    const salvaged = deadheat(['trace', 'latest', way, '--salvage'], { cwd });
    expect(salvaged.stderr).toMatch(
      /warning: threads-1 is damaged: cut short; \d+ bytes after the/,
    );
    expect(salvaged.status).toBe(0);
    if (way === '--print') expect(salvaged.stdout.split('\n')).toHaveLength(7);
  });

  it('of a newer deadheat is named as such', () => {
    const cwd = withRun();
    const file = join(cwd, '.deadheat/threads-1/run.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"schema": 1', '"schema": 99'));
    const { stderr, status } = deadheat(['trace', 'threads-1', '--print'], { cwd });
    expect(stderr).toMatch(/newer deadheat/);
    expect(status).toBe(2);
  });
});

describe('a program', () => {
  it.each([
    ['after --', ['--timeout', '60s', '--', 'echo', 'done'], 'done\n'],
    ['with options of its own', ['echo', '--print'], '--print\n'],
    ['that is called like a run', ['--', './latest', '--print'], 'latest --print\n'],
  ])('%s is traced', (_, args, output) => {
    const cwd = scratchFolder();
    const script = '#!/bin/sh\necho latest $1\n';
    writeFileSync(join(cwd, 'latest'), script, { mode: 0o755 });
    const around = { cwd, env: { XDG_CACHE_HOME: join(cwd, 'cache') } };
    const { status, stdout, stderr } = deadheat(['trace', ...args], around);
    expect(stdout).toBe(output);
    expect(stderr).toMatch(/^deadheat: .* in threads-1$/m);
    expect(status).toBe(0);
  });
});

it('completion offers runs', () => {
  const { stdout } = deadheat(['complete', '--', 'trace', 'threads'], { cwd: withRun() });
  expect(stdout).toMatch(/^threads-1/m);
});
