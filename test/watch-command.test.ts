/** `deadheat watch`: its options, what it says, and how it ends. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, type Ended, PROJECT, runToEnd, startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { compileWatched, linesOf, watch, watchUntil } from './harness/watch-examples.ts';

const EXAMPLE = join(PROJECT, 'examples/watch/rw-race/racy.c');

function withExample(): string {
  const cwd = scratchFolder();
  compileWatched(EXAMPLE, join(cwd, 'program'));
  return cwd;
}

function withProgram(text: string): string {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'program.c'), text);
  compileWatched(join(cwd, 'program.c'), join(cwd, 'program'));
  return cwd;
}

/** Ended with the test, if not before. */
function running(cwd: string, ...args: string[]): ChildProcess {
  const child = spawn(join(cwd, 'program'), args, { cwd, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const ended = (child: ChildProcess): Promise<{ status: number | null; signal: string | null }> =>
  new Promise((resolve) => child.once('exit', (status, signal) => resolve({ status, signal })));

/** Until its text has come. */
async function untilSaid(child: ChildProcess, text: RegExp): Promise<() => string> {
  let said = '';
  const more = new Promise<void>((resolve) => {
    child.stderr!.on('data', (data) => {
      said += data;
      if (text.test(said)) resolve();
    });
    child.once('exit', () => resolve());
  });
  await more;
  return () => said;
}

const reportIn = (cwd: string): Report =>
  JSON.parse(readFileSync(join(cwd, '.deadheat', 'watch-1', 'report.json'), 'utf8')) as Report;

const hasRace = ({ races }: Report): boolean => races.length > 0;

describe('deadheat watch', () => {
  it('leaves a run with a report, and tells it as text, JSON and SARIF', () => {
    const cwd = withExample();
    const { report, stdout, stderr } = watchUntil(
      cwd,
      './program',
      hasRace,
      '-v',
      '--sarif',
      'a.sarif',
    );
    expect(stdout).toMatch(/data race \(pid=\d+\) \[confirmed\]/);
    expect(stdout).toMatch(/Evidence: (watchpoint|meeting|value comparison): .*shared/);
    expect(stdout).toContain('SUMMARY: deadheat: data race on shared in');
    expect(stderr).toMatch(/the report is in watch-\d/);
    expect(report).toMatchObject({ engine: 'watch', exit: { code: 0 } });
    expect(report.command.slice(0, 1)).toEqual(['./program']);
    const { seconds, firstRaceAfterSeconds } = report.stats;
    expect(firstRaceAfterSeconds).toBeLessThanOrEqual(Number(seconds));
    expect(JSON.parse(readFileSync(join(cwd, 'a.sarif'), 'utf8')).runs[0].results).toHaveLength(1);
    const again = deadheat(['report', 'latest'], { cwd });
    expect(again.stdout).toContain('data race on shared');
    expect(deadheat(['ls'], { cwd }).stdout).toContain('watch-1');
  });

  it('leaves out what is suppressed, and exits with 0', () => {
    const cwd = withExample();
    writeFileSync(join(cwd, 'known'), 'race:reader\n');
    const { status, report } = watchUntil(
      ...([cwd, './program', ({ suppressed }: Report) => suppressed !== undefined] as const),
      ...['--suppressions', 'known'],
    );
    expect(report.races).toEqual([]);
    expect(report.suppressed).toEqual({ 'race:reader': 1 });
    expect(status).toBe(0);
  });

  it('looks only at functions that it is told to', () => {
    const cwd = withExample();
    const { report } = watchUntil(cwd, './program', hasRace, '--functions', '^reader$');
    expect(report.stats).toMatchObject({ functions: 1, functionsWanted: '^reader$' });
    const [race] = report.races;
    expect(race!.accesses.map(({ site }) => site.function)).toEqual(['reader', 'writer']);
    const none = watch(cwd, '--functions', 'nothing', '--', './program', '1');
    expect(none.report.warnings).toEqual(['no function was there to be sampled']);
    expect(none.status).toBe(0);
  });

  it.each(['racy.c:16', 'writer', 'program+ADDRESS', 'ADDRESS'])(
    'begins with suspicious places: %s',
    (place) => {
      const cwd = withExample();
      writeFileSync(join(cwd, 'first'), 'racy.c:16 # where it is written\n');
      const { report } = watchUntil(cwd, './program', hasRace, '--addresses', 'first');
      expect(report.warnings).toBeUndefined();
      const store = report.races[0]!.accesses.find(({ site }) => site.line === 16);
      writeFileSync(join(cwd, 'list'), `${place.replace('ADDRESS', store!.site.address!)}\n`);
      // Nothing else is sampled.
      const options = ['--addresses', 'list', '--functions', '^main$'];
      const only = watchUntil(cwd, './program', hasRace, ...options).report;
      expect(only.warnings).toBeUndefined();
      expect(only.races.map(linesOf)).toEqual(['16 22']);
    },
  );

  it('warns of suspicious places that are nowhere', () => {
    const cwd = withExample();
    writeFileSync(join(cwd, 'list'), 'nowhere\nracy.c:1\n0x1\n');
    const { report } = watch(cwd, '--addresses', 'list', '--', './program', '1');
    // A slow machine may have more to say.
    expect(report.warnings).toEqual(
      expect.arrayContaining(
        ['nowhere', 'racy.c:1', '0x1'].map((place) => `${place} is no access that can be watched`),
      ),
    );
  });

  it('warns of a library that never came, and of no other', () => {
    const cwd = withExample();
    const options = ['--also', 'libnever.so', '--also', 'libc.so.6'];
    const { report } = watch(cwd, ...options, '--', './program', '1');
    const told = report.warnings?.filter((one) => one.includes('--also'));
    expect(told).toEqual(['--also libnever.so: no such library was ever loaded']);
  });

  it('tells where a variable without a name is', () => {
    const cwd = withExample();
    execFileSync('strip', [join(cwd, 'program')]);
    const { report } = watchUntil(cwd, './program', hasRace);
    expect(report.races[0]!.object.name).toMatch(/^program\+0x[0-9a-f]+$/);
  });

  it('takes settings from a file while it runs', async () => {
    const cwd = withExample();
    writeFileSync(join(cwd, 'control'), 'rate 20\n');
    const child = startDeadheat(['watch', '--control', 'control', '--', './program', '3'], { cwd });
    while (!existsSync(join(cwd, '.deadheat'))) await pause(20);
    writeFileSync(join(cwd, 'control'), 'rate 77\nwindow 3\nfunctions ^writer$\nnonsense\n');
    const said = await untilSaid(child, /the report is in/);
    expect(said()).toContain('control: nonsense: neither rate, window nor functions');
    expect(reportIn(cwd).stats).toMatchObject({
      rate: 77,
      windowMs: 3,
      functionsWanted: '^writer$',
    });
  });

  it('tells its seed, and takes one', () => {
    const cwd = withExample();
    expect(watch(cwd, '--', './program', '1').report.stats.seed).toEqual(expect.any(Number));
    expect(watch(cwd, '--seed', '7', '--', './program', '1').report.stats.seed).toBe(7);
  });

  it('marks what looks harmless, with the reason', () => {
    const cwd = withProgram(HARMLESS);
    const wanted = [
      /both sides are atomic/,
      /atomic type/,
      /different bits/,
      /statistics counter/,
      /same value/,
    ];
    const { report, status } = watchUntil(cwd, './program', ({ races }) =>
      wanted.every((reason) => races.some(({ benign }) => reason.test(benign ?? ''))),
    );
    // It is told all the same.
    expect(status).toBe(66);
    const reasons = Object.fromEntries(
      report.races.flatMap(({ object, benign }) => (benign ? [[object.name, benign]] : [])),
    );
    expect(reasons).toMatchObject({
      users: expect.stringMatching(/both sides are atomic/),
      turn: expect.stringMatching(/atomic type/),
      flags: expect.stringMatching(/different bits/),
      requests: expect.stringMatching(/looks like a statistics counter/),
      ready: expect.stringMatching(/same value/),
    });
    expect(report.races.find(({ object }) => object.name === 'balance')?.benign).toBeUndefined();
  });

  it('says that there was nobody to race with', () => {
    const cwd = withProgram(ALONE);
    const { report, status } = watch(cwd, '--', './program');
    expect(report.warnings?.[0]).toMatch(/nobody else was running|no sampled instruction/);
    expect(status).toBe(0);
  });

  it('ends a program after a while, as by Ctrl-C', () => {
    const cwd = withExample();
    const { report, status } = watch(cwd, '--duration', '2s', '--', './program', '500');
    expect(report.exit).toEqual({ signal: 'SIGINT' });
    expect([0, 66]).toContain(status);
  });

  it('goes on with the program that another one becomes', () => {
    const cwd = withExample();
    writeFileSync(join(cwd, 'exec.c'), EXEC);
    compileWatched(join(cwd, 'exec.c'), join(cwd, 'exec'));
    const { report } = watchUntil(cwd, './exec', hasRace);
    expect(report.races.map(linesOf)).toEqual(['16 22']);
  });

  it('tells how a program died', () => {
    const cwd = withProgram('int main(void) { return *(volatile int *)8; }\n');
    const { report, status } = watch(cwd, '--', './program');
    expect(report.exit).toEqual({ signal: 'SIGSEGV' });
    expect(status).toBe(0);
  });

  it('is the same to the program: its output, input and arguments', () => {
    const cwd = scratchFolder();
    const { stdout } = deadheat(['watch', '-q', '--', 'cat', '-'], { cwd, input: 'as it was\n' });
    expect(stdout).toContain('as it was\n');
  });
});

describe('deadheat watch, interrupted', () => {
  it('passes Ctrl-C on to a program of ours, and tells what it has', async () => {
    const cwd = withExample();
    const child = startDeadheat(['watch', '--rate', '200', '--', './program', '500'], { cwd });
    const said = untilSaid(child, /interrupted/);
    while (!existsSync(join(cwd, '.deadheat', 'watch-1', 'run.json'))) await pause(20);
    await pause(500);
    child.kill('SIGINT');
    expect(await ended(child)).toEqual({ status: null, signal: 'SIGINT' });
    expect((await said)()).toMatch(
      /interrupted by SIGINT: what was caught until then is in watch-1/,
    );
    expect(reportIn(cwd).exit).toEqual({ signal: 'SIGINT' });
  });

  it('lets a process go that was there before, which goes on', async () => {
    const cwd = withExample();
    const program = running(cwd, '500');
    const child = startDeadheat(['watch', '--rate', '200', '--pid', `${program.pid}`], { cwd });
    await untilSaid(child, /watching process/);
    await pause(500);
    child.kill('SIGINT');
    expect(await ended(child)).toEqual({ status: null, signal: 'SIGINT' });
    const { command, exit } = reportIn(cwd);
    expect([command.at(-1), exit]).toEqual(['500', undefined]);
    await pause(300);
    expect(program.exitCode).toBeNull();
    expect(program.signalCode).toBeNull();
    expect(readFileSync(`/proc/${program.pid}/status`, 'latin1')).toMatch(/^TracerPid:\s*0$/m);
  });
});

describe('deadheat watch --pid', () => {
  it('catches races, and lets the process go after a while', () => {
    const cwd = withExample();
    const program = running(cwd, '500');
    let found: Ended & { report?: Report } = { status: 0, signal: null, stdout: '', stderr: '' };
    for (const seconds of [2, 4, 8, 16]) {
      found = watch(cwd, '--rate', '100', '--duration', `${seconds}s`, '--pid', `${program.pid}`);
      if (found.status === 66) break;
    }
    expect(found.report!.races.map(linesOf)).toEqual(['16 22']);
    expect(found.status).toBe(66);
    expect([program.exitCode, program.signalCode]).toEqual([null, null]);
  });

  it('tells of the end of the process, also in mid-window', async () => {
    const cwd = withExample();
    const program = running(cwd, '500');
    const args = ['watch', '--window', '5000', '--rate', '1000', '--pid', `${program.pid}`];
    const child = startDeadheat(args, { cwd });
    await untilSaid(child, /watching process/);
    await pause(500);
    program.kill('SIGKILL');
    const { status } = await ended(child);
    expect([0, 66]).toContain(status);
    expect(reportIn(cwd).exit).toEqual({ signal: 'SIGKILL' });
  });

  it.each([
    [['--pid', '4194304'], 2],
    [['--pid', '0'], 2],
    [['--pid', `${process.pid}`, '--', 'true'], 2],
    [[], 2],
    [['--functions', '(', '--', 'true'], 2],
    [['--addresses', 'nothing', '--', 'true'], 2],
    [['--addresses', 'bad', '--', 'true'], 2],
    [['--rate', '0', '--', 'true'], 2],
    [['--window', 'x', '--', 'true'], 2],
    [['--', './nothing'], 2],
    [['--json', '-', '--sarif', '-', '--', 'true'], 2],
  ])('%j is refused, and leaves nothing', (args, status) => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'bad'), 'a place\n');
    const refused = deadheat(['watch', ...args], { cwd });
    expect(refused.stderr).toMatch(/^deadheat: .+/);
    expect(refused.stderr).not.toContain('    at ');
    expect(refused.status).toBe(status);
    expect(readdirSync(cwd)).toEqual(['bad']);
  });

  it('may not attach to what belongs to others', () => {
    const cwd = scratchFolder();
    const setpriv = ['setpriv', '--reuid', '65534', '--clear-groups', '--inh-caps=-all'];
    const { stderr, status } = runToEnd(
      'sh',
      ['-c', `chmod 777 . && exec ${setpriv.join(' ')} "$0" "$@"`, process.execPath].concat(
        join(PROJECT, 'dist/cli/main.js'),
        ['watch', '--pid', `${process.pid}`],
      ),
      { cwd },
    );
    expect(stderr).toMatch(/^deadheat: .*\d+/);
    expect([2, 69]).toContain(status);
  });
});

/** Four harmless ones, and one that is not. */
const HARMLESS = `#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static time_t end;
static _Atomic int turn;
static volatile int users, flags, requests, ready = 1, balance, seen;
static void *one(void *unused) {
  while (time(NULL) < end) {
    __atomic_fetch_add(&users, 1, __ATOMIC_RELAXED);
    __asm__ volatile("testl $4, %0" : : "m"(flags) : "cc");
    __asm__ volatile("incl %0" : "+m"(requests));
    seen = ready;
    seen = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
    balance = balance + 3;
  }
  return unused;
}
static void *other(void *unused) {
  while (time(NULL) < end) {
    __atomic_fetch_sub(&users, 1, __ATOMIC_RELAXED);
    __asm__ volatile("orl $8, %0" : "+m"(flags));
    __asm__ volatile("andl $-9, %0" : "+m"(flags));
    __asm__ volatile("addl $2, %0" : "+m"(requests));
    ready = 1;
    __atomic_store_n(&turn, (int)time(NULL) + balance, __ATOMIC_RELEASE);
    balance = balance - 3;
  }
  return unused;
}
int main(int argc, char **argv) {
  end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
`;

const ALONE = `static volatile int counter;
int main(void) {
  for (int i = 0; i < 100000000; i++) counter = counter + 1;
  return 0;
}
`;

const EXEC = `#include <unistd.h>
int main(int argc, char **argv) {
  (void)argc;
  return execv("./program", argv);
}
`;
