/** `deadheat threads`, `confirm` and `replay`: races between threads, shown by running the program. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import {
  deadheat,
  deadheatAsPlainUser,
  type Ended,
  PROJECT,
  runToEnd,
  startDeadheat,
} from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** A folder with the program of an example, compiled. */
function withExample(name: string, source = 'racy.c'): string {
  const cwd = scratchFolder();
  compile(join(PROJECT, 'examples', 'threads', name, source), cwd);
  return cwd;
}

function compile(source: string, cwd: string): void {
  execFileSync('cc', ['-g', '-O1', '-pthread', source, '-o', join(cwd, 'program')]);
}

function reportIn(cwd: string, run = 'threads-1'): Report {
  return JSON.parse(readFileSync(join(cwd, '.deadheat', run, 'report.json'), 'utf8')) as Report;
}

const ask = (cwd: string, ...args: string[]): Ended => deadheat(args, { cwd });

describe('deadheat threads', () => {
  it('finds a race that did not show, and shows it', () => {
    const cwd = withExample('listing-1-1');
    const { status, stdout, stderr } = ask(cwd, 'threads', '-v', '--', './program');
    expect(status).toBe(66);
    // The program's output is there once.
    expect(stdout.split('x 2, y 2')).toHaveLength(2);
    expect(stdout).toContain('data race (pid=');
    expect(stdout).toContain('[confirmed]');
    expect(stdout).toMatch(
      /stood before these accesses at the same moment, both about to touch y \(4 bytes/,
    );
    expect(stderr).not.toContain('warning');
    const { races } = reportIn(cwd);
    expect(races).toHaveLength(1);
    const [race] = races;
    expect(race).toMatchObject({
      ...{ verdict: 'confirmed', rung: 'search', object: { name: 'y' } },
      replay: 'deadheat replay threads-1 R1',
    });
    for (const { stack, value, registers } of race!.accesses) {
      expect(value).toMatch(/^[0-9a-f]{8}$/);
      expect(registers?.rip).toMatch(/^0x[0-9a-f]+$/);
      expect(stack[0]).toMatchObject({ function: /first|second/, line: expect.any(Number) });
    }
    expect(race!.accesses.map(({ site }) => site.line).sort()).toEqual([15, 27]);
    expect(race!.steps?.map(({ what }) => what)).toContain('acquire m');
  });

  it('shows it again', () => {
    const cwd = withExample('listing-1-1');
    ask(cwd, 'threads', '-q', '--', './program');
    const again = ask(cwd, 'replay', 'threads-1', 'R1');
    expect(again.stdout).toMatch(/^x 2, y [12]\ndeadheat: R1: .* stood before these accesses/);
    expect(again.status).toBe(0);
  });

  it('says nothing of a program without races, and exits with 0', () => {
    const cwd = withExample('fork-and-join', 'clean.c');
    const { status, stdout } = ask(cwd, 'threads', '-q', '--', './program');
    expect(stdout).toContain('deadheat: reported 0 races');
    expect(status).toBe(0);
  });

  it('does not count what it could not show, and says why it could not', () => {
    const cwd = withExample('value-decides', 'clean.c');
    const { status, stdout } = ask(cwd, 'threads', '-q', '--', './program');
    expect(stdout).toContain('[predicted]');
    expect(stdout).toMatch(
      /not confirmed in 3 attempts: T2 stood at .*clean\.c:18, and nobody came/,
    );
    expect(status).toBe(0);
  });

  it('predicts only, if asked to', () => {
    const cwd = withExample('listing-1-1');
    const { status, stdout } = ask(cwd, 'threads', '-q', '--no-confirm', '--', './program');
    expect(stdout).toContain('[predicted]');
    expect(status).toBe(0);
    const confirmed = ask(cwd, 'confirm', '-q');
    expect(confirmed.stdout).toContain('[confirmed]');
    expect(confirmed.status).toBe(66);
    // Once is enough, unless it is asked for.
    expect(ask(cwd, 'confirm', '-q').stdout).toContain('[confirmed]');
    expect(ask(cwd, 'confirm', '-q', 'threads-1', 'R1').status).toBe(66);
    // To predict once more does not undo it.
    expect(ask(cwd, 'predict', '-q').stdout).toContain('[confirmed]');
  });

  it('works for everybody', () => {
    const cwd = withExample('different-locks');
    const { status, stdout } = deadheatAsPlainUser(['threads', '-q', '--', './program'], {
      cwd,
      env: { XDG_CACHE_HOME: join(cwd, 'cache') },
    });
    expect(stdout).toContain('[confirmed]');
    expect(status).toBe(66);
  });

  it('reads its input from a file once more, and warns that a pipe has no more', () => {
    const cwd = scratchFolder();
    const source = join(cwd, 'reads.c');
    writeFileSync(source, READS);
    compile(source, cwd);
    writeFileSync(join(cwd, 'input'), 'race\n');
    const script = (how: string): Ended => runToEnd('sh', ['-c', how], { cwd });
    const byFile = script(
      `${process.execPath} ${join(PROJECT, 'dist/cli/main.js')} threads -q -- ./program < input`,
    );
    expect(byFile.stdout).toContain('[confirmed]');
    const byPipe = script(
      `cat input | ${process.execPath} ${join(PROJECT, 'dist/cli/main.js')} threads -q -- ./program`,
    );
    expect(byPipe.stderr).toContain('comes from a pipe and cannot be had again');
    expect(byPipe.stdout).not.toContain('[confirmed]');
  });

  it('is ended by Ctrl-C while races are tried, and tells what it knows', async () => {
    const cwd = scratchFolder();
    const source = join(cwd, 'sleeps.c');
    writeFileSync(source, SLEEPS);
    compile(source, cwd);
    ask(cwd, 'threads', '-q', '--no-confirm', '--', './program');
    writeFileSync(join(cwd, 'slow'), '');
    const child = startDeadheat(['confirm'], { cwd });
    let told = '';
    child.stdout!.on('data', (data) => (told += data));
    while (!existsSync(join(cwd, 'started'))) await pause(20);
    child.kill('SIGINT');
    const signal = await new Promise((resolve) => child.once('exit', (_, by) => resolve(by)));
    expect(signal).toBe('SIGINT');
    expect(told).toContain('[predicted]');
    expect(readdirSync(join(cwd, '.deadheat', 'threads-1'))).not.toContain('agent');
  });
});

describe('deadheat confirm', () => {
  it.each([
    [['confirm', 'threads-1', 'R7'], 2, /threads-1 has no race R7; it has R1/],
    [['replay', 'threads-1', 'R7'], 2, /threads-1 has no race R7; it has R1/],
    [
      ['replay', 'threads-1'],
      2,
      /threads-1 is a traced run, of which single races can be run again/,
    ],
    [['confirm', 'threads-9'], 2, /no run threads-9/],
  ])('%j', (args, status, message) => {
    const cwd = withExample('listing-1-1');
    ask(cwd, 'threads', '-q', '--no-confirm', '--', './program');
    const ended = ask(cwd, ...args);
    expect(ended.stderr).toMatch(message);
    expect(ended.status).toBe(status);
  });

  it('of another build than the traced one is refused', () => {
    const cwd = withExample('listing-1-1');
    ask(cwd, 'threads', '-q', '--no-confirm', '--', './program');
    execFileSync('cc', [
      '-g',
      '-O2',
      '-pthread',
      '-o',
      join(cwd, 'program'),
      join(PROJECT, 'examples/threads/listing-1-1/racy.c'),
    ]);
    const { stderr, status } = ask(cwd, 'confirm');
    expect(stderr).toMatch(
      /the program is not the one that was traced.*built anew since; run 'deadheat trace' again/,
    );
    expect(status).toBe(2);
  });

  it('has no program to run for an imported trace', () => {
    const cwd = scratchFolder();
    copyFileSync(join(PROJECT, 'src/threads/csp/testdata/listing-1.std'), join(cwd, 'a.std'));
    ask(cwd, 'trace', '-q', '--import', 'a.std');
    expect(ask(cwd, 'predict', '-q').status).toBe(66);
    const { stderr, status } = ask(cwd, 'confirm');
    expect(stderr).toMatch(/was imported: there is no program to run/);
    expect(status).toBe(2);
  });

  it('of a damaged trace or witness says what is wrong', () => {
    const cwd = withExample('listing-1-1');
    ask(cwd, 'threads', '-q', '--no-confirm', '--', './program');
    const run = join(cwd, '.deadheat', 'threads-1');
    const witnesses = readFileSync(join(run, 'witnesses.json'));
    writeFileSync(join(run, 'witnesses.json'), '{');
    expect(ask(cwd, 'confirm').stderr).toMatch(
      /witnesses\.json is damaged.*deadheat predict threads-1/,
    );
    writeFileSync(join(run, 'witnesses.json'), witnesses);
    const trace = readFileSync(join(run, 'trace.bin'));
    trace.fill(0x55, 200, 260);
    writeFileSync(join(run, 'trace.bin'), trace);
    const { stderr, status } = ask(cwd, 'confirm');
    expect(stderr).toMatch(/^deadheat: .*trace\.bin/);
    expect(status).not.toBe(70);
  });

  it('runs the program where it was traced', () => {
    const cwd = withExample('listing-1-1');
    ask(cwd, 'threads', '-q', '--no-confirm', '--', './program');
    const elsewhere = join(cwd, 'elsewhere');
    mkdirSync(elsewhere);
    const { status, stdout } = ask(elsewhere, 'confirm', '-q', '../.deadheat/threads-1');
    expect(stdout).toContain('[confirmed]');
    expect(status).toBe(66);
  });
});

/** Races only if its input says so. */
const READS = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int shared;
static void *work(void *racing) {
  if (racing != NULL) shared++;
  return NULL;
}
int main(void) {
  int c = getchar();
  pthread_t thread;
  pthread_create(&thread, NULL, work, c == 'r' ? &shared : NULL);
  if (c == 'r') {
    usleep(20000);
    shared++;
  }
  pthread_join(thread, NULL);
  return 0;
}
`;

/** Takes long if there is a file called slow. */
const SLEEPS = `#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int shared;
static void *work(void *unused) {
  shared++;
  return unused;
}
int main(void) {
  if (access("slow", F_OK) == 0) {
    close(creat("started", 0600));
    sleep(60);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  usleep(20000);
  shared++;
  pthread_join(thread, NULL);
  return 0;
}
`;
