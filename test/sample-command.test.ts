/** `deadheat sample`: its options, what it says, and how it ends; turning it on and off in a running program. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SampledInfo } from '../src/sample/sampled-info.ts';
import { deadheat, deadheatAsPlainUser, type Ended, PROJECT } from './harness/deadheat.ts';
import { sampledServer } from './harness/sampled-server.ts';
import { scratchFolder } from './harness/scratch.ts';

let binary = '';
beforeAll(() => {
  // Not in the test's own folder, which is gone with it.
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  binary = sampledServer(folder);
  return () => rmSync(folder, { recursive: true });
});

const infoIn = (cwd: string, run = 'sample-1'): SampledInfo =>
  JSON.parse(readFileSync(join(cwd, '.deadheat', run, 'sampled.json'), 'utf8')) as SampledInfo;

function expectRefusal({ status, stderr }: Ended, message: RegExp, wanted = 2): void {
  expect(stderr).toMatch(message);
  expect(status).toBe(wanted);
}

describe('a sampled program', () => {
  it('runs as it would, and leaves samples', () => {
    const cwd = scratchFolder();
    const { status, stdout, stderr } = deadheat(['sample', '--', binary, '300'], { cwd });
    expect(stdout).toBe('done\n');
    expect(status).toBe(7);
    expect(stderr).toMatch(
      /^deadheat: [\d,]+ samples of 4 threads are in sample-1, by \S+, about every/m,
    );
    expect(stderr).toMatch(/'deadheat analyze sample-1' looks for races in them/);
    const info = infoIn(cwd);
    expect(info).toMatchObject({ schema: 1, budget: 0.02, dormant: false });
    expect(info.samples).toBeGreaterThan(20);
    expect(info.processorMs).toBeGreaterThan(500);
    expect(info.cost!.ofSamples).toBeLessThan(0.2);
    expect(deadheat(['ls'], { cwd }).stdout).toMatch(/^sample-1 +complete .* - races/);
  });

  it('dies of its own signal', () => {
    const cwd = scratchFolder();
    const ended = deadheat(['sample', '-q', '--', 'sh', '-c', 'kill -USR1 $$'], { cwd });
    expect(ended.signal).toBe('SIGUSR1');
    expect(ended.stderr).toBe('');
  });

  it('is ended after --duration, which is no failure', () => {
    const cwd = scratchFolder();
    const args = ['sample', '--duration', '1s', '--', binary, '100000'];
    const { status, stderr } = deadheat(args, { cwd });
    expect(status).toBe(0);
    expect(stderr).toMatch(/samples of 4 threads/);
  });

  it('that has no second thread has nothing to race with, and that is said', () => {
    const cwd = scratchFolder();
    const { status, stderr } = deadheat(['sample', '--', 'true'], { cwd });
    expect(status).toBe(0);
    // It may be gone before it is sampled at all.
    const [, threads] = /^deadheat: \d+ samples? of (\d) thread/m.exec(stderr)!;
    expect(stderr).toMatch(
      threads === '0'
        ? /no thread ran long enough to be sampled: nothing can be said about races/
        : /of only one thread there are samples: without others there is nothing to race with/,
    );
  });

  it('has the period that was asked for, or the reason why not', () => {
    const cwd = scratchFolder();
    const args = ['sample', '--period', '20ms', '--', binary, '100'];
    deadheat(args, { cwd });
    expect(infoIn(cwd)).toMatchObject({ event: { kind: 'timer', period: 20_000_000 } });
    expect(infoIn(cwd).budget).toBeUndefined();
  });

  it('is sampled in windows only', () => {
    const cwd = scratchFolder();
    const args = ['sample', '--window', '20ms', '--every', '1h', '--', binary, '400'];
    const { status } = deadheat(args, { cwd });
    expect(status).toBe(7);
    const { samples = 0, windows } = infoIn(cwd);
    expect(windows).toEqual({ lengthMs: 20, everyMs: 3_600_000 });
    const all = deadheat(['sample', '--', binary, '400'], { cwd });
    expect(all.status).toBe(7);
    expect(samples).toBeLessThan((infoIn(cwd, 'sample-2').samples ?? 0) / 2);
  });

  it('may become a program that cannot be sampled, which is left alone by windows', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'a.c'), '#include <unistd.h>\nint main(void) { return sleep(1) + 7; }');
    execFileSync('cc', ['-static', '-o', join(cwd, 'a'), join(cwd, 'a.c')]);
    const windows = ['--window', '100ms', '--every', '200ms'];
    const ended = deadheat(['sample', ...windows, '--', 'sh', '-c', 'exec ./a'], { cwd });
    expect([ended.signal, ended.status]).toEqual([null, 7]);
  });

  it('may become one at the very moment at which a sample is due', () => {
    const cwd = scratchFolder();
    const source = join(PROJECT, 'test/sampled-programs/due-at-exec.c');
    execFileSync('cc', ['-o', join(cwd, 'before'), source]);
    execFileSync('cc', ['-static', '-o', join(cwd, 'after'), source]);
    const ended = deadheat(['sample', '--', './before', './after'], { cwd });
    expect([ended.signal, ended.status]).toEqual([null, 7]);
  });

  it('may be a script, and what it starts', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'run.sh'), `#!/bin/sh\n${binary} 200\n`, { mode: 0o755 });
    const { status, stderr } = deadheat(['sample', '--', './run.sh'], { cwd });
    expect(status).toBe(7);
    expect(stderr).toMatch(/run\.sh is a script; sampled is what runs it/);
    expect(stderr).toMatch(/samples of [45] threads/);
  });

  it.runIf(process.getuid?.() === 0)('may give up root, and is sampled still', () => {
    const cwd = scratchFolder();
    const source = join(PROJECT, 'test/sampled-programs/daemon.c');
    execFileSync('cc', ['-O1', '-pthread', '-o', join(cwd, 'daemon'), source]);
    chmodSync(cwd, 0o700);
    const { status, stderr } = deadheat(['sample', '--', './daemon'], { cwd });
    expect(status).toBe(0);
    expect(stderr).toMatch(/samples of 3 threads are in sample-1/);
    expect(infoIn(cwd).samples).toBeGreaterThan(10);
  });

  it.runIf(process.getuid?.() === 0)(
    'ends as it does when it has filled the disk, and so does its run',
    (context) => {
      const cwd = scratchFolder();
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'none', cwd]).status !== 0)
        context.skip('cannot mount a tmpfs');
      onTestFinished(() => void spawnSync('umount', [cwd]));
      const filling = `${binary} 300; cat /dev/zero > rest; exit 9`;
      const { status, stderr } = deadheat(['sample', '--', 'sh', '-c', filling], { cwd });
      expect(status).toBe(9);
      expect(stderr).toMatch(/samples of \d threads/);
      expect(infoIn(cwd).samples).toBeGreaterThan(0);
      expect(deadheat(['ls'], { cwd }).stdout).toMatch(/^sample-1 +complete/);
    },
  );

  it('is said to go on, if it does', () => {
    const cwd = scratchFolder();
    // It runs by the time that the first one ends.
    const script = 'mkfifo told; (echo >told; exec sleep 3) >/dev/null 2>&1 & read -r word <told';
    const { stderr } = deadheat(['sample', '--', 'sh', '-c', script], { cwd });
    expect(stderr).toMatch(/process \d+ is still running.*deadheat sample --pid \d+ stop/);
  });
});

describe('a program that cannot be sampled', () => {
  const compiled = (cwd: string, ...options: string[]): void => {
    writeFileSync(join(cwd, 'a.c'), 'int main(void) { return 0; }');
    execFileSync('cc', [...options, '-o', join(cwd, 'a'), join(cwd, 'a.c')]);
  };

  it('is linked statically', () => {
    const cwd = scratchFolder();
    compiled(cwd, '-static');
    expectRefusal(
      deadheat(['sample', '--', './a'], { cwd }),
      /cannot sample '.*\/a': it is linked statically.*link it dynamically/,
    );
  });

  it.runIf(process.getuid?.() === 0)('would gain privileges', () => {
    const cwd = scratchFolder();
    compiled(cwd);
    chownSync(join(cwd, 'a'), 1, 1);
    chmodSync(join(cwd, 'a'), 0o4755);
    expectRefusal(
      deadheat(['sample', '--', './a'], { cwd }),
      /cannot sample '.*\/a': it is set-user-ID, and for such programs LD_PRELOAD is ignored/,
    );
  });
});

it('options that make no sense are refused', () => {
  const cwd = scratchFolder();
  const refused = (args: readonly string[], message: RegExp): void =>
    expectRefusal(deadheat(['sample', ...args], { cwd }), message);
  refused([], /missing required argument 'command'.*--pid PID and start, stop or status/);
  refused(['--window', '10s', '--', 'true'], /--window needs to know how often; add --every/);
  refused(['--every', '10s', '--', 'true'], /--every is about windows; add --window/);
  refused(['--window', '2m', '--every', '1m', '--', 'true'], /would never end/);
  refused(['--period', '10ms', '--budget', '1%', '--', 'true'], /cannot be used with/);
  refused(['--period', 'often', '--', 'true'], /such as 10ms or 500us, or a number/);
  refused(['--budget', '200%', '--', 'true'], /a percentage, such as 2%/);
  refused(['--max-log', '5', '--', 'true'], /a size of 1M or more/);
  refused(['--json', 'a.json', '--', 'true'], /--json is about a report; add --analyze/);
});

/** Says "ready" and waits for a line, which ends it. */
class DormantServer {
  readonly child: ChildProcess;
  readonly cwd: string;
  #said = '';

  constructor(cwd: string, ...options: string[]) {
    this.cwd = cwd;
    const args = [
      join(PROJECT, 'dist/cli/main.js'),
      'sample',
      ...options,
      '--',
      binary,
      '600000',
      'waits',
    ];
    this.child = spawn(process.execPath, args, { cwd, stdio: 'pipe' });
    this.child.stdout!.on('data', (data) => {
      this.#said += data;
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  async ready(): Promise<number> {
    while (!this.#said.includes('ready')) await pause(20);
    const children = `/proc/${this.child.pid}/task/${this.child.pid}/children`;
    return Number(readFileSync(children, 'latin1').trim());
  }

  tell(pid: number, ...words: string[]): Ended {
    const { cwd } = this;
    return deadheat(['sample', '--pid', `${pid}`, ...words], { cwd });
  }

  status(pid: number): { on: boolean; samples: number } {
    const { stdout } = this.tell(pid, 'status');
    const samples = /^samples +([\d,]+)/m.exec(stdout)?.[1]?.replaceAll(',', '');
    return { on: /^sampling +on$/m.test(stdout), samples: Number(samples) };
  }

  async end(): Promise<number | null> {
    this.child.stdin!.end('\n');
    return new Promise((resolve) => this.child.once('exit', resolve));
  }
}

describe('a dormant program', () => {
  it('is sampled from start to stop', async () => {
    const server = new DormantServer(scratchFolder(), '--dormant');
    const pid = await server.ready();
    expect(server.status(pid)).toEqual({ on: false, samples: 0 });
    const { stderr } = server.tell(pid, 'start');
    expect(stderr).toMatch(new RegExp(`sampling is on in process ${pid} of sample-1`));
    while (server.status(pid).samples < 20) await pause(50);
    expect(server.status(pid).on).toBe(true);
    server.tell(pid, 'stop');
    const { samples } = server.status(pid);
    await pause(300);
    // Those that were on their way may still come.
    expect(server.status(pid).samples).toBeLessThan(samples + 5);
    expect(await server.end()).toBe(7);
    expect(infoIn(server.cwd)).toMatchObject({ dormant: true });
  });

  it('keeps the period that was given by hand, and says by what it was sampled', async () => {
    const server = new DormantServer(scratchFolder(), '--dormant');
    const pid = await server.ready();
    server.tell(pid, '--period', '40ms', 'start');
    const before = server.status(pid).samples;
    // The budget looks once a second, and would have it shorter after twenty samples.
    while (server.status(pid).samples < before + 60) await pause(100);
    await pause(2500);
    const { stdout } = server.tell(pid, 'status');
    expect(stdout).toMatch(/^event +timer, about every 40 ms of processor time$/m);
    await server.end();
    expect(infoIn(server.cwd)).toMatchObject({ lastKind: 'timer', lastPeriod: 40_000_000 });
  });

  it('is sampled for a while', async () => {
    const server = new DormantServer(scratchFolder(), '--dormant');
    const pid = await server.ready();
    const { status, stderr } = server.tell(pid, '--duration', '300ms', 'start');
    expect(status).toBe(0);
    expect(stderr).toMatch(/sampling is off; 'deadheat analyze sample-1' looks for races/);
    expect(server.status(pid).on).toBe(false);
    await server.end();
  });
});

describe('a process that cannot be turned on', () => {
  const asked = (pid: number | string, ...words: string[]): Ended =>
    deadheat(['sample', '--pid', `${pid}`, ...words], { cwd: scratchFolder() });

  it('is not there', () => expectRefusal(asked(4_000_000, 'start'), /there is no process 4000000/));

  it('was not started with sampling', () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill());
    expectRefusal(
      asked(child.pid!, 'start'),
      /was not started with sampling.*deadheat sample --dormant -- CMD/,
    );
  });

  it('was told to load the agent, and could not', () => {
    const env = { ...process.env, DEADHEAT_SAMPLING: '/nowhere/samples/control' };
    const child = spawn('sleep', ['60'], { env });
    onTestFinished(() => void child.kill());
    expectRefusal(asked(child.pid!, 'start'), /the agent is not in it.*linked statically/, 69);
  });

  it.runIf(process.getuid?.() === 0)('belongs to somebody else', () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill());
    const cwd = scratchFolder();
    const args = ['sample', '--pid', `${child.pid}`, 'status'];
    expectRefusal(deadheatAsPlainUser(args, { cwd }), /cannot be looked at: it is of user 0/, 69);
  });

  it('is asked to do something else', () => {
    expectRefusal(asked(process.pid, 'begin'), /--pid cannot 'begin'; say start, stop or status/);
    expectRefusal(asked(process.pid), /what is to be done with --pid/);
    expectRefusal(
      asked(process.pid, '--stacks', 'start'),
      /--stacks is for a program that is started/,
    );
    expectRefusal(asked(process.pid, '--duration', '1s', 'stop'), /--duration is for start/);
  });
});
