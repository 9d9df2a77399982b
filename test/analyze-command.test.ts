/** `deadheat analyze`: races of sampled runs, what it says of runs that lack something, and how it ends. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Race, Report } from '../src/report/model.ts';
import { deadheat, type Ended } from './harness/deadheat.ts';
import { RACING_LINE, sampledServer } from './harness/sampled-server.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

const LONG_ENOUGH_MS = '500';

/** A folder with the program and a run of it, made once and copied for each test. */
let original = '';
beforeAll(() => {
  // Not a test's own folder, which is gone with it.
  original = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  sampledServer(original);
  const { status } = deadheat(['sample', '--', './server', LONG_ENOUGH_MS], { cwd: original });
  expect(status).toBe(7);
  return () => rmSync(original, { recursive: true });
});

function withRun(): string {
  const cwd = scratchFolder();
  cpSync(original, cwd, { recursive: true });
  return cwd;
}

function analyze(cwd: string, ...args: string[]): Ended & { report: Report } {
  const ended = deadheat(['analyze', ...args, '--json', '-'], { cwd });
  return { ...ended, report: JSON.parse(ended.stdout) as Report };
}

const linesOf = ({ accesses }: Race): number[] => accesses.map(({ site }) => site.line ?? 0);
const isTheRace = (race: Race): boolean => linesOf(race).every((line) => line === RACING_LINE);

describe('deadheat analyze', () => {
  it('finds the race of a sampled program, and nothing else', () => {
    const { status, report } = analyze(withRun());
    expect(report).toMatchObject({
      engine: 'sample',
      run: 'sample-1',
      command: ['./server', LONG_ENOUGH_MS],
    });
    expect(report.races.length).toBeGreaterThan(0);
    expect(report.races.filter((race) => !isTheRace(race))).toEqual([]);
    expect(report.races[0]).toMatchObject({
      verdict: 'predicted',
      object: { name: expect.stringMatching(/hits/) },
    });
    expect(status).toBe(66);
  });

  it('tells it as text, and keeps it for deadheat report', () => {
    const cwd = withRun();
    const { status, stdout } = deadheat(['analyze', 'sample-1'], { cwd });
    expect(status).toBe(66);
    expect(stdout).toMatch(new RegExp(`server\\.c:${RACING_LINE}`));
    expect(deadheat(['report', 'sample-1'], { cwd }).stdout).toBe(stdout);
  });

  it('is done at once by sample --analyze, whose exit status then tells of races', () => {
    const cwd = scratchFolder();
    sampledServer(cwd);
    const args = ['sample', '--analyze', '--json', 'a.json', '--', './server', LONG_ENOUGH_MS];
    expect(deadheat(args, { cwd }).status).toBe(66);
    const report = JSON.parse(readFileSync(join(cwd, 'a.json'), 'utf8')) as Report;
    expect(report.races.every(isTheRace)).toBe(true);
    sampledServer(cwd, '-DFIXED');
    const fixed = deadheat(args, { cwd });
    expect(fixed.stdout).toMatch(/reported 0 races|no races/);
    expect(fixed.status).toBe(7);
  });

  it('catches it in the act with --confirm', () => {
    const cwd = withRun();
    const { status, report, stderr } = analyze(cwd, '--confirm', '--duration', '60s');
    expect(stderr).toMatch(/caught in the act/);
    expect(report.races.find(isTheRace)).toMatchObject({
      verdict: 'confirmed',
      evidence: expect.stringMatching(/^caught in the act: (meeting|watchpoint|value comparison)/),
    });
    expect(status).toBe(66);
  });

  it('says so if the races are in a program that the command has started', () => {
    const cwd = scratchFolder();
    sampledServer(cwd);
    deadheat(['sample', '-q', '--', 'timeout', '600', './server', LONG_ENOUGH_MS], { cwd });
    const { status, report, stderr } = analyze(cwd, '--confirm');
    expect(stderr).toMatch(/not watched for: they are in server, which .* timeout starts/);
    expect(stderr).toMatch(/sample server without timeout .* --pid/);
    expect(report.races.find(isTheRace)).toMatchObject({ verdict: 'predicted' });
    expect(status).toBe(66);
  });

  it('tells on a terminal for how long it has watched, and how many it has caught', async () => {
    const cwd = withRun();
    const idle = spawn('sleep', ['600']);
    try {
      const args = ['--confirm', '--pid', `${idle.pid}`, '--duration', '3s'];
      const { raw, text } = await onTerminal(['deadheat', 'analyze', ...args], cwd);
      expect(raw).toMatch(/[#.]{20} 1\/3 seconds watched, 0 of \d+ caught \(about \d+ s left\)/);
      expect(text).toMatch(/0 of \d+ caught in the act/);
    } finally {
      idle.kill();
    }
  });

  it('does not watch another build than the sampled one', () => {
    const cwd = scratchFolder();
    sampledServer(cwd);
    deadheat(['sample', '-q', '--', './server', LONG_ENOUGH_MS], { cwd });
    mkdirSync(join(cwd, 'sampled'));
    renameSync(join(cwd, 'server'), join(cwd, 'sampled/server'));
    sampledServer(cwd, '-O2');
    const { stderr } = deadheat(['analyze', '--confirm', '--symbols', 'sampled'], { cwd });
    expect(stderr).toMatch(/but not watched for: .*server is not the build that was sampled/);
  });

  it('finds programs that have moved by --symbols', () => {
    const cwd = withRun();
    mkdirSync(join(cwd, 'elsewhere'));
    renameSync(join(cwd, 'server'), join(cwd, 'elsewhere/server'));
    renameSync(join(original, 'server'), join(original, 'away'));
    try {
      const without = analyze(cwd);
      expect(JSON.stringify(without.report.warnings)).toMatch(/server/);
      expect(without.report.races).toEqual([]);
      const { report } = analyze(cwd, '--symbols', 'elsewhere');
      expect(report.races.filter(isTheRace)).not.toEqual([]);
    } finally {
      renameSync(join(original, 'away'), join(original, 'server'));
    }
  });
});

describe('runs that lack something', () => {
  const logs = (cwd: string): string[] => {
    const folder = join(cwd, '.deadheat/sample-1/samples');
    return readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .map((name) => join(folder, name));
  };

  it('have logs that are cut off', () => {
    const cwd = withRun();
    for (const log of logs(cwd)) truncateSync(log, 5000);
    const { report } = analyze(cwd);
    expect(report.races.filter((race) => !isTheRace(race))).toEqual([]);
    expect(report.warnings?.join()).toMatch(/cut|end/);
  });

  it('have no logs', () => {
    const cwd = withRun();
    for (const log of logs(cwd)) rmSync(log);
    const { report, status } = analyze(cwd);
    expect(report.races).toEqual([]);
    expect(report.warnings?.join()).toMatch(/no (logs|samples)/);
    expect(status).toBe(0);
  });

  it.each([
    ['no sampled.json', 'sampled.json', undefined, /is not a sampled run/],
    ['a damaged one', 'sampled.json', '{"schema"', /sampled.json is damaged/],
  ])('have %s', (_, file, content, message) => {
    const cwd = withRun();
    const path = join(cwd, '.deadheat/sample-1', file);
    rmSync(path);
    if (content !== undefined) writeFileSync(path, content);
    const { status, stderr } = deadheat(['analyze'], { cwd });
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it('are runs of something else', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'a.std'), 'T1|w(x)|1\nT2|w(x)|2\n');
    deadheat(['trace', '--import', 'a.std'], { cwd });
    const { status, stderr } = deadheat(['analyze', 'threads-1'], { cwd });
    expect(stderr).toMatch(
      /threads-1 is a run of 'threads', and this command is for those of 'sample'/,
    );
    expect(status).toBe(2);
  });
});

it('runs of different builds are not mixed', () => {
  const cwd = withRun();
  rmSync(join(cwd, 'server'));
  sampledServer(cwd, '-O2', '-DFIXED');
  expect(deadheat(['sample', '-q', '--', './server', '200'], { cwd }).status).toBe(7);
  const { report } = analyze(cwd, 'sample-1', 'sample-2');
  expect(report.races.filter((race) => !isTheRace(race))).toEqual([]);
});

it('options that make no sense are refused', () => {
  const { status, stderr } = deadheat(['analyze', '--pid', '1'], { cwd: scratchFolder() });
  expect(stderr).toMatch(/--pid names the process that --confirm watches; add --confirm/);
  expect(status).toBe(2);
});
