/** `deadheat predict`: from a trace to a report with witnesses. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deadheat, type Ended, PROJECT, startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** The paper's first listing: the lock hides the race on y. */
const LISTING = `T1|w(y)|1
T1|acq(m)|2
T1|w(x)|3
T1|rel(m)|4
T2|acq(m)|5
T2|w(x)|6
T2|rel(m)|7
T2|w(y)|8
`;

/** T2 reads x only if it has found the flag. */
const GUARDED = `T1|w(x)|1
T1|acq(m)|2
T1|w(flag)|3
T1|rel(m)|4
T2|acq(m)|5
T2|r(flag)|6
T2|rel(m)|7
T2|r(x)|8
`;

function imported(text: string): string {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'a.std'), text);
  expect(deadheat(['trace', '-q', '--import', 'a.std'], { cwd }).status).toBe(0);
  return cwd;
}

const reportOf = (cwd: string) =>
  JSON.parse(readFileSync(join(cwd, '.deadheat/threads-1/report.json'), 'utf8'));

describe("the paper's first listing", () => {
  it('has its race predicted, with the witness', () => {
    const cwd = imported(LISTING);
    const { status, stdout, stderr } = deadheat(['predict', '-v'], { cwd });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      '==================',
      'WARNING: deadheat: data race [predicted]',
      '  R1: T2 writes y at place 8 while T1 writes it at place 1',
      '',
      '  Write of y by thread T2: place 8',
      '',
      '  Previous write of y by thread T1: place 1',
      '',
      '  Location is memory y',
      '',
      '  Steps that lead both threads there:',
      '    T2  acquire m, place 5',
      '    T2  release m, place 7',
      '',
      '  Predicted: by reordering: they meet in another order, in which locks are taken in the same turns',
      '',
      'SUMMARY: deadheat: data race on y in T2 and T1',
      '==================',
      'deadheat: reported 1 race',
      '',
    ]);
    expect(status).toBe(66);
    expect(reportOf(cwd).races).toMatchObject([
      {
        rung: 'sync-preserving',
        certain: true,
        steps: [{ threadName: 'T2', what: 'acquire m, place 5' }, { threadName: 'T2' }],
      },
    ]);
    const again = deadheat(['report', '-v', 'threads-1'], { cwd });
    expect([again.status, again.stdout]).toEqual([66, stdout]);
  });

  it('is written as a script for each check', () => {
    const cwd = imported(LISTING);
    const { stderr, status } = deadheat(['predict', 'threads-1', '--csp', 'checks'], { cwd });
    expect(stderr).toBe('deadheat: 1 CSPm script in checks\n');
    expect(status).toBe(66);
    expect(readdirSync(join(cwd, 'checks'))).toEqual(['y-T1-T2.race.csp']);
  });

  it('may be suppressed, and reported as JSON or SARIF', () => {
    const cwd = imported(LISTING);
    writeFileSync(join(cwd, 'known'), 'race:y\n');
    const suppressed = deadheat(['predict', '--suppressions', 'known'], { cwd });
    expect(suppressed.stdout).toMatch(/suppressed 1 race:\n {2}1 by race:y\n.*reported 0 races/);
    expect(suppressed.status).toBe(0);
    const json = deadheat(['predict', '--json', '-', '--error-exitcode', '3'], { cwd });
    expect(JSON.parse(json.stdout)).toEqual(reportOf(cwd));
    expect(json.status).toBe(3);
    deadheat(['predict', '--sarif', 'a.sarif'], { cwd });
    const sarif = JSON.parse(readFileSync(join(cwd, 'a.sarif'), 'utf8'));
    expect(sarif.runs[0].results[0].ruleId).toBe('threads/data-race');
  });
});

describe('a race that depends on a value', () => {
  it('is told, unless values have to stay the same', () => {
    const cwd = imported(GUARDED);
    const told = deadheat(['predict', '-v'], { cwd });
    expect(told.status).toBe(66);
    expect(told.stdout).toMatch(/Predicted: by a search: .*\n {4}with other values/);
    expect(reportOf(cwd).races).toMatchObject([{ rung: 'search', certain: false }]);
    const sound = deadheat(['predict', '--sound'], { cwd });
    expect([sound.status, sound.stdout]).toEqual([0, 'deadheat: reported 0 races\n']);
    expect(reportOf(cwd).stats).toMatchObject({ cleared: 1, undecided: 0 });
  });
});

describe('a real program', () => {
  it('has its race predicted with lines and threads, one report for one bug', () => {
    const cwd = scratchFolder();
    const source = join(PROJECT, 'test/traced-programs/hidden-race.c');
    execFileSync('cc', ['-g', '-O1', '-Wall', '-pthread', '-o', join(cwd, 'hidden-race'), source]);
    const env = { XDG_CACHE_HOME: join(cwd, 'cache') };
    const traced = deadheat(['trace', '-q', '--', './hidden-race'], { cwd, env });
    expect([traced.status, traced.stderr]).toEqual([0, '']);
    const { status, stdout } = deadheat(['predict', '-v'], { cwd });
    expect(stdout).toMatch(/^deadheat: reported 1 race$/m);
    expect(status).toBe(66);
    const { races } = reportOf(cwd);
    const lines = readFileSync(source, 'utf8').split('\n');
    const lineOf = (mark: string): number => lines.findIndex((line) => line.includes(mark)) + 1;
    expect(races).toMatchObject([
      {
        rung: 'sync-preserving',
        object: { type: 'memory', name: expect.stringMatching(/^balances\[\d\]$/) },
        accesses: [
          { process: 'hidden-race', op: 'write', site: { line: lineOf('racy: second') } },
          { process: 'hidden-race', op: 'write', site: { line: lineOf('racy: first') } },
        ],
      },
    ]);
    expect(races[0].occurrences).toBeGreaterThanOrEqual(8);
    expect(stdout).toMatch(/^ {4}hidden-race#0 +fork hidden-race#1 +\S*hidden-race\.c:\d+$/m);
    expect(stdout).toMatch(/^ {4}hidden-race#2 +acquire lock +\S*hidden-race\.c:\d+$/m);
    expect(races[0].steps.map(({ what }: { what: string }) => what.split(' ')[0])).not.toContain(
      'join',
    );
  });
});

/**
 * What takes a search very long: many pairs of writes, each of which holds one of two locks, and has taken the other
 * one before, after threads whose sections may come in any order.
 */
function endless(): string {
  const section = (thread: string, lock: string): string =>
    `${thread}|acq(${lock})|1\n${thread}|rel(${lock})|2\n`;
  const side = (thread: string, i: number, held: string, other: string, place: number): string =>
    `${thread}|acq(${held})|1\n${section(thread, other)}${thread}|w(x${i})|${place}\n${thread}|rel(${held})|2\n`;
  const numbers = Array.from({ length: 200 }, (_, i) => i);
  const pairs = numbers.map(
    (i) => side('T1', i, `a${i}`, `b${i}`, 2 * i + 3) + side('T2', i, `b${i}`, `a${i}`, 2 * i + 4),
  );
  const beside = numbers
    .slice(0, 120)
    .map((i) => section(`N${i % 6}`, 'p') + section(`N${i % 6}`, 'q'));
  const joins = numbers.slice(0, 6).map((i) => `T1|join(N${i})|1\n`);
  return [...beside, ...joins, ...pairs].join('');
}

/** Whether we listen to signals yet: SIGHUP is the last one, and one that Node does not listen to by itself. */
function listens(pid: number): boolean {
  const [, mask = '0'] =
    /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & 1n) === 1n;
}

describe('Ctrl-C', () => {
  it('ends the search, and what was found until then is told', async () => {
    const cwd = imported(endless());
    const child = startDeadheat(['predict', '--budget', '10h'], { cwd });
    let stderr = '';
    child.stderr?.on('data', (data) => {
      stderr += data;
    });
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    while (!listens(child.pid!)) await sleep(20);
    child.kill('SIGINT');
    expect(await ended).toBe('SIGINT');
    expect(stderr).toMatch(/warning: interrupted: what was not decided until then is undecided/);
    expect(reportOf(cwd).stats.undecided).toBeGreaterThan(0);
  });
});

describe('bad input is one line, and', () => {
  function expectRefusal(ended: Ended, message: RegExp, status = 2): void {
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).toMatch(/^deadheat: .+; .+\n$/);
    expect(ended.stdout).toBe('');
    expect(ended.status).toBe(status);
  }
  const trace = (cwd: string): string => join(cwd, '.deadheat/threads-1/trace.bin');

  it('a damaged trace is refused, or salvaged', () => {
    const cwd = imported(LISTING);
    writeFileSync(trace(cwd), readFileSync(trace(cwd)).subarray(0, -10));
    expectRefusal(deadheat(['predict'], { cwd }), /trace.bin: chunk \d+.* cut short; .*--salvage/);
    const salvaged = deadheat(['predict', '--salvage'], { cwd });
    expect(salvaged.stdout).toMatch(/warning: the trace could be read only up to chunk \d+: cut/);
    expect(salvaged.status).toBe(66);
  });

  it('a run without a trace', () => {
    const cwd = imported(LISTING);
    rmSync(trace(cwd));
    expectRefusal(deadheat(['predict'], { cwd }), /trace.bin cannot be read: ENOENT/);
  });

  it('an empty trace', () => {
    const cwd = imported('# nothing\n');
    expectRefusal(deadheat(['predict'], { cwd }), /the trace of threads-1 is empty, which says/);
  });

  it('a run of another engine, or none', () => {
    const cwd = imported(LISTING);
    const info = readFileSync(join(cwd, '.deadheat/threads-1/run.json'), 'utf8');
    mkdirSync(join(cwd, '.deadheat/procs-1'));
    writeFileSync(join(cwd, '.deadheat/procs-1/run.json'), info.replace('"threads"', '"procs"'));
    expectRefusal(deadheat(['predict', 'procs-1'], { cwd }), /procs-1 is a run of 'procs', and/);
    expectRefusal(deadheat(['predict', 'threads-9'], { cwd }), /no run threads-9; the nearest/);
    expectRefusal(deadheat(['predict'], { cwd: scratchFolder() }), /no run latest/);
  });

  it.each([
    [['--budget', '0'], /--budget.*It is a time, such as 90s or 5m/],
    [['--budget', 'soon'], /--budget.*It is a time/],
    [['--csp', '.'], /\. is not empty; name a new or empty folder/],
    [['--csp', 'a.std/x'], /cannot write 'a.std\/x' \(ENOTDIR\)/],
    [['--json', '-', '--sarif', '-'], /cannot both go to stdout/],
    [['threads-1', 'threads-1'], /too many arguments/],
  ])('deadheat predict %s', (args, message) => {
    expectRefusal(deadheat(['predict', ...args], { cwd: imported(LISTING) }), message);
  });

  it('a run that has no report yet says how to make one', () => {
    const { stderr } = deadheat(['report'], { cwd: imported(LISTING) });
    expect(stderr).toMatch(/has no report yet; make it with: deadheat predict threads-1/);
  });
});
