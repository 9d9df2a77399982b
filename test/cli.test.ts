/** The command line itself: help, mistakes, pass-through, exit statuses. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadheat, LAUNCHER, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** Every message for users is one line that names a remedy. */
function expectOneLine(stderr: string, pattern: RegExp): void {
  expect(stderr).toMatch(pattern);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/^deadheat: .+; .+/);
}

describe('help', () => {
  it('lists every command, and each command has examples of its own', () => {
    const cwd = scratchFolder();
    const { stdout, status } = deadheat(['--help'], { cwd });
    expect(status).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
    for (const name of [
      'procs',
      'record',
      'detect',
      'report',
      'trace',
      'predict',
      'ls',
      'doctor',
      'demo',
      'completion',
    ]) {
      expect(commands).toContain(name);
      const help = deadheat([name, '--help'], { cwd });
      expect(help.status).toBe(0);
      expect(help.stdout).toMatch(/Examples:\n {2}(deadheat|source)/);
    }
  });

  it('gives the version of package.json', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    expect(deadheat(['--version'], { cwd: scratchFolder() }).stdout).toBe(`${version}\n`);
  });
});

describe('mistakes', () => {
  it.each([
    [['rekord'], /unknown command 'rekord'; did you mean record\?/],
    [['frobnicate'], /unknown command 'frobnicate'; see deadheat --help/],
    [['detect', '--jsn', 'x'], /unknown option '--jsn'; did you mean --json\?/],
    [['detect', '--jobs', '0'], /--jobs.*at least 1/],
    [['detect', '--jobs', 'many'], /--jobs.*whole number/],
    [['report', '--error-exitcode', '256'], /0 to 255/],
    [['ls', '--color', 'blue'], /auto, always, never/],
    [['record'], /missing required argument 'command'/],
    [['demo', 'cooking'], /Allowed choices are procs/],
    [['detect', 'latest'], /no run latest: there are no runs/],
    [
      ['report', '--suppressions', 'nowhere', 'latest'],
      /cannot read the suppressions in 'nowhere'/,
    ],
  ])('deadheat %s is one line on stderr and exit status 2', (args, message) => {
    const { status, stdout, stderr } = deadheat(args, { cwd: scratchFolder() });
    expectOneLine(stderr, message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it('without any command is a mistake too, answered with the help', () => {
    const { status, stdout, stderr } = deadheat([], { cwd: scratchFolder() });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Usage: deadheat/);
  });
});

describe('the target', () => {
  it.each([
    ['after --', ['record', '-q', '--', 'printf', '%s,', '--quiet', '-o', '--', 'x']],
    ['after the first word', ['record', '-q', 'printf', '%s,', '--quiet', '-o', '--', 'x']],
  ])('gets everything %s untouched', (_, args) => {
    const { stdout, status, stderr } = deadheat(args, { cwd: scratchFolder() });
    expect(stdout).toBe('--quiet,-o,--,x,');
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('has our stdin, stdout, stderr and environment, and nothing more', () => {
    const script = 'cat; echo to-stderr >&2; echo $GREETING; ls /proc/self/fd';
    const around = { cwd: scratchFolder(), input: 'from stdin\n', env: { GREETING: 'hello' } };
    const ended = deadheat(['record', '-q', '--', 'sh', '-c', script], around);
    const native = runToEnd('sh', ['-c', script], around);
    expect(ended).toEqual(native);
    expect(native.stdout).toContain('from stdin\nhello\n0\n1\n2\n');
  });

  it('is killed by SIGPIPE as usual, although we ignore it', () => {
    const { stdout, status } = deadheat(['record', '-q', '--', 'sh', '-c', 'yes | head -1'], {
      cwd: scratchFolder(),
    });
    expect(stdout).toBe('y\n');
    expect(status).toBe(0);
  });

  it('may have arguments that are not UTF-8', () => {
    const cwd = scratchFolder();
    // The shell makes the byte; Node could not even pass it on.
    const script = `"$0" record -q -- printf %s "$(printf 'caf\\351')" | od -An -tx1`;
    const { stdout } = runToEnd('sh', ['-c', script, LAUNCHER], { cwd });
    expect(stdout.trim()).toBe('63 61 66 e9');
  });

  it.each([0, 1, 42, 126, 127, 255])('passes exit status %i through record', (code) => {
    const { status } = deadheat(['record', '-q', '--', 'sh', '-c', `exit ${code}`], {
      cwd: scratchFolder(),
    });
    expect(status).toBe(code);
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGPIPE'])('passes death by %s through', (name) => {
    const cwd = scratchFolder();
    const kill = `kill -${name.slice(3)} $$`;
    const { signal } = deadheat(['record', '-q', '--', 'sh', '-c', kill], { cwd });
    expect(signal).toBe(name);
    expect(existsSync(join(cwd, 'core'))).toBe(false);
  });
});
