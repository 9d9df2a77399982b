/** When validation ends before it is through: Ctrl-C, budgets, and what nobody wants to hear of. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, startDeadheat } from './harness/deadheat.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

/** The second one waits for ever if it comes first. */
const HANGS = ': >flag & { sleep 0.5; [ -e flag ] || sleep 86415; } & wait';
/** Whoever comes last wins. */
const LAST_WINS = 'echo a >f & { sleep 0.5; echo b >f; } & wait';
/** Much longer than a test may take: if it is waited for, the test fails. */
const FOR_EVER = ['--timeout', '1h'];

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  for (const [name, program] of Object.entries({ HANGS, LAST_WINS })) {
    const args = ['record', '-q', '-o', `.deadheat/${name}`, '--', 'sh', '-c', program];
    expect(deadheat(args, { cwd })).toMatchObject({ status: 0, stderr: '' });
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Interrupted {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
}

/** Waits until a process with such arguments runs in a sandbox, and then for the end. */
async function interrupted(
  args: readonly string[],
  words: readonly string[],
  interrupt: (running: ChildProcess) => void,
  folder = cwd,
): Promise<Interrupted> {
  const running = startDeadheat(args, { cwd: folder });
  let stdout = '';
  running.stdout?.on('data', (bytes) => (stdout += bytes));
  const ended = new Promise<Interrupted>((resolve) =>
    running.on('close', (status, signal) => resolve({ status, signal, stdout })),
  );
  const isThere = (one: string): boolean => one.includes(words.join('\0'));
  while (!sandboxedIn(folder).some(isThere)) await sleep(50);
  interrupt(running);
  return ended;
}

const verdicts = (json: string): string[] =>
  (JSON.parse(json) as Report).races.map(({ id, verdict }) => `${id} ${verdict}`);

async function nothingIsLeft(folder = cwd): Promise<void> {
  while (sandboxedIn(folder).length > 0) await sleep(50);
}

describe('Ctrl-C', () => {
  it('ends validation: what was found is told, nothing goes on, and we die of the signal', async () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      const args = ['validate', '.deadheat/HANGS', ...FOR_EVER, '--json', '-'];
      const { signal, stdout } = await interrupted(args, ['sleep', '86415'], (one) =>
        one.kill(name),
      );
      expect(signal).toBe(name);
      expect(verdicts(stdout)).toEqual(['R1 detected']);
      expect((JSON.parse(stdout) as Report).warnings).toEqual([
        'interrupted: 1 of 1 races were not tried',
      ]);
      expect(sandboxedIn(cwd)).toEqual([]);
    }
  });

  it('from the keyboard reaches the program too, which still proves nothing', async () => {
    let pressed = false;
    const args = ['deadheat', 'validate', '.deadheat/HANGS', ...FOR_EVER];
    const { raw, text } = await onTerminal(args, cwd, (soFar, write) => {
      const isRunning = (): boolean =>
        sandboxedIn(cwd).some((one) => one.includes('sleep\x0086415'));
      if (pressed || !soFar.includes('0/1')) return;
      pressed = true;
      const press = (): void => {
        if (isRunning()) write('\x03');
        else setTimeout(press, 50);
      };
      press();
    });
    expect(text).toMatch(/\[not validated yet\]/);
    expect(text).toMatch(/warning: interrupted: 1 of 1 races were not tried/);
    // The cursor was never gone.
    expect(raw).not.toContain('\x1b[?25l');
    expect(sandboxedIn(cwd)).toEqual([]);
  });

  it('twice ends all of it without another word', async () => {
    const args = ['validate', '.deadheat/HANGS', ...FOR_EVER, '--json', '-'];
    const { signal, stdout } = await interrupted(args, ['sleep', '86415'], (one) => {
      // Both are there before it can do anything about the first.
      for (const name of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) one.kill(name);
    });
    // Of the second one, and it may have heard of them in either order.
    expect(['SIGINT', 'SIGTERM']).toContain(signal);
    expect(stdout).toBe('');
    await nothingIsLeft();
  });

  it('ends a check that is running', async () => {
    const check = ['--check', 'sleep 86416'];
    const args = ['validate', '.deadheat/LAST_WINS', ...check, '--json', '-'];
    const { signal, stdout } = await interrupted(args, ['sleep', '86416'], (one) =>
      one.kill('SIGINT'),
    );
    expect(signal).toBe('SIGINT');
    expect(verdicts(stdout)).toEqual(['R1 detected']);
    expect(sandboxedIn(cwd)).toEqual([]);
  });

  it('ends procs while it validates, but keeps the changes if it was told to', async () => {
    const folder = scratchFolder();
    const args = ['procs', '--keep', ...FOR_EVER, '--json', 'r.json', '--', 'sh', '-c', HANGS];
    const { signal } = await interrupted(
      args,
      ['sleep', '86415'],
      (one) => one.kill('SIGINT'),
      folder,
    );
    expect(signal).toBe('SIGINT');
    expect(verdicts(readFileSync(join(folder, 'r.json'), 'utf8'))).toEqual(['R1 detected']);
    expect(existsSync(join(folder, 'flag'))).toBe(true);
    expect(sandboxedIn(folder)).toEqual([]);
  });

  it('ends a replay, which tells what was written until then', async () => {
    const folder = scratchFolder();
    const program = `echo began; ${HANGS}`;
    expect(deadheat(['record', '-q', '--', 'sh', '-c', program], { cwd: folder }).status).toBe(0);
    const args = ['replay', 'latest', 'R1'];
    const { signal, stdout } = await interrupted(
      args,
      ['sleep', '86415'],
      (one) => one.kill('SIGINT'),
      folder,
    );
    expect({ signal, stdout }).toEqual({ signal: 'SIGINT', stdout: 'began\n' });
    expect(sandboxedIn(folder)).toEqual([]);
    const late = deadheat(['replay', 'latest', 'R1', '--timeout', '3s'], { cwd: folder });
    expect(late).toMatchObject({ status: 1, stdout: 'began\n' });
    expect(late.stderr).toMatch(/^deadheat: warning: it did not end within its time/);
  });
});

describe('a budget', () => {
  it.each([
    ['a run', 'HANGS', FOR_EVER],
    ['a check', 'LAST_WINS', ['--check', 'sleep 86417']],
  ])('ends %s that is on its way, which then proves nothing', (_what, name, options) => {
    const args = ['validate', '-q', `.deadheat/${name}`, '--budget', '2s', '--json', '-'];
    const { status, stdout } = deadheat([...args, ...options], { cwd });
    expect(verdicts(stdout)).toEqual(['R1 detected']);
    expect((JSON.parse(stdout) as Report).warnings).toEqual([
      'there was no time left for 1 of 1 races',
    ]);
    expect(status).toBe(66);
    expect(sandboxedIn(cwd)).toEqual([]);
  });
});

describe('suppressed races', () => {
  it('are not tried, and counted apart', () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'known.txt'), 'path:flag\n');
    const program = `${HANGS}; ${LAST_WINS}`;
    const args = ['procs', ...FOR_EVER, '--suppressions', 'known.txt', '--'];
    const { status, stdout, stderr } = deadheat([...args, 'sh', '-c', program], { cwd: folder });
    expect(stderr).toMatch(/^deadheat: 1 suppressed race was not tried$/m);
    expect(stdout).toMatch(/^deadheat: suppressed 1 race:\n {2}1 by path:flag$/m);
    expect(stdout).not.toMatch(/no time left|warning/);
    expect(status).toBe(0);
    const report = readFileSync(join(folder, '.deadheat/procs-1/report.json'), 'utf8');
    expect(verdicts(report).map((one) => one.replace(/^R\d+ /, ''))).toEqual([
      'detected',
      'benign',
    ]);
  });

  it('are asked for before the program is run', () => {
    const folder = scratchFolder();
    const args = ['procs', '--suppressions', 'none.txt', '--', 'touch', 'made'];
    expect(deadheat([...args], { cwd: folder })).toMatchObject({
      status: 2,
      stderr: "deadheat: cannot read the suppressions in 'none.txt' (ENOENT); check its name\n",
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('verdicts', () => {
  const NO_FOLDER = 'mkdir d & { sleep 0.5; echo x >d/f; } & wait';
  const report = (folder: string): string =>
    readFileSync(join(folder, '.deadheat/procs-1/report.json'), 'utf8');

  it('outlive another search for races, and so does the instance that was proven', () => {
    const folder = scratchFolder();
    const program = `${NO_FOLDER}; ${LAST_WINS}; exit 3`;
    deadheat(['procs', '-q', '--', 'sh', '-c', program], { cwd: folder });
    const before = JSON.parse(report(folder)) as Report;
    expect(verdicts(report(folder)).map((one) => one.replace(/^R\d+ /, ''))).toEqual([
      'harmful',
      'benign',
    ]);
    // As if not the first one had been proven.
    before.races[0]!.instance = 0;
    writeFileSync(join(folder, '.deadheat/procs-1/report.json'), JSON.stringify(before));
    for (const all of [[], ['--all']]) {
      const found = deadheat(['detect', ...all], { cwd: folder });
      expect(found.status).toBe(66);
      expect(found.stdout).toMatch(/\[harmful\]/);
      if (all.length === 0) expect(found.stdout).not.toMatch(/not validated yet/);
      const { races, warnings, stats } = JSON.parse(report(folder)) as Report;
      const tried = races.filter(({ verdict }) => verdict !== 'detected');
      expect(tried).toEqual(before.races);
      expect(warnings).toEqual(before.warnings);
      expect(stats.validation).toEqual(before.stats.validation);
    }
  });

  it('are left out, with a word about it, if the recording is another one', () => {
    const folder = scratchFolder();
    deadheat(['procs', '-q', '--', 'sh', '-c', NO_FOLDER], { cwd: folder });
    const other = ['record', '-q', '-o', 'other', '--', 'sh', '-c', NO_FOLDER];
    deadheat(other, { cwd: folder });
    const trace = readFileSync(join(folder, 'other/trace.bin'));
    writeFileSync(join(folder, '.deadheat/procs-1/trace.bin'), trace);
    const { stdout, status } = deadheat(['detect', 'procs-1'], { cwd: folder });
    expect(stdout).toMatch(/\[not validated yet\]/);
    expect(stdout).toMatch(
      /warning: what was validated earlier is left out: the recording is not the same any more/,
    );
    expect(status).toBe(66);
  });
});
