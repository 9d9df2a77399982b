/** record --pid: a tree of processes that runs already is recorded, and does not notice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryTo } from '../src/base/result.ts';
import { chooseRecorder } from '../src/procs/recorder/choose-recorder.ts';
import { readTrace } from '../src/trace/reader.ts';
import { deadheat, deadheatAsPlainUser, runToEnd, startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const allowed = tryTo(() => chooseRecorder('bpf'));
if (!allowed.ok) console.warn(`skipped: no eBPF (${allowed.error.message})`);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

interface Running extends ChildProcess {
  pid: number;
  /** All that it has said so far. */
  said(): string;
}

/** Runs until it is killed; it says `ready` when all is there that is to be recorded. */
async function running(script: string, cwd: string): Promise<Running> {
  const child = spawn('sh', ['-c', script], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let said = '';
  child.stdout?.on('data', (data) => {
    said += data;
  });
  await until(() => said.includes('ready'));
  return Object.assign(child, { pid: child.pid!, said: () => said });
}

const isAlive = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

const recordsOf = (run: string) => [...readTrace(join(run, 'trace.bin'), { salvage: false })];

describe.runIf(allowed.ok)('record --pid', () => {
  /** A child in another folder works on each line that comes in, with a grandchild. */
  const TREE = `
    exec 3<&0
    (cd other; echo ready; while read -r word <&3; do echo "$word" > by-child; (exec cat by-child > by-grandchild); done) &
    wait`;

  /** Records it until it is told to stop, or it ends; returns when it has begun. */
  async function attach(pid: number, cwd: string) {
    const recorder = startDeadheat(['record', '--pid', `${pid}`], { cwd });
    const ended = new Promise((resolve) => recorder.once('exit', resolve));
    let said = '';
    recorder.stderr?.on('data', (data) => {
      said += data;
    });
    await until(() => said.includes(`recording process ${pid} and what it starts`));
    return { recorder, ended };
  }

  it('records until the tree ends: who was there, what they run, and where', async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, 'other'));
    const tree = await running(TREE, cwd);
    const { ended } = await attach(tree.pid, cwd);
    tree.stdin?.write('hello\n');
    tree.stdin?.end();
    expect(await ended).toBe(0);
    const records = recordsOf(join(cwd, '.deadheat/procs-1'));
    const [first, second, third, fourth] = records;
    expect(first).toMatchObject({ kind: 'start', how: 'root', tid: tree.pid });
    expect(second).toMatchObject({ kind: 'exec', tid: tree.pid });
    expect(second?.kind === 'exec' && second.commandLine).toMatch(/^sh\0-c\0/);
    expect(third).toMatchObject({ kind: 'start', how: 'fork', parentTid: tree.pid });
    expect(fourth).toMatchObject({ kind: 'exec' });
    const execs = records.flatMap((record) => (record.kind === 'exec' ? [record.commandLine] : []));
    expect(execs).toContain('cat\0by-child');
    expect(records.filter(({ kind }) => kind === 'exit')).toHaveLength(3);
    expect(deadheat(['detect', '--json', 'report.json'], { cwd }).status).toBe(0);
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ cwd, state: 'complete', files: { in: 'place' } });
    expect(Object.values(info.folders)).toEqual([join(cwd, 'other')]);
  });

  it('finds a race in it, with names from where each process is', async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, 'other'));
    const script = `
      exec 3<&0
      (cd other; read -r _ <&3; mkdir made) & (until [ -d other/made ]; do sleep 0.05; done; echo x > other/made/file) &
      echo ready; wait`;
    const tree = await running(script, cwd);
    const { ended } = await attach(tree.pid, cwd);
    tree.stdin?.write('go\n');
    expect(await ended).toBe(0);
    const detected = deadheat(['detect', '-v'], { cwd });
    expect(detected.status).toBe(66);
    // Which of the looks is the nearest, and so whether it comes before or after, depends on the day.
    const summary = /race on (.*) in (?:sh and mkdir|mkdir and sh)$/m.exec(detected.stdout);
    expect(summary?.[1]).toBe(join(cwd, 'other/made'));
  });

  it('includes threads that were there', async () => {
    const cwd = scratchFolder();
    const script =
      "exec node -e \"setInterval(() => { fs.readdirSync('.'); console.log('again') }, 50); console.log('ready')\"";
    const tree = await running(script, cwd);
    const { recorder, ended } = await attach(tree.pid, cwd);
    const before = tree.said().length;
    // What it says twice after that, it has not done before.
    await until(() => tree.said().length > before + 2 * 'again\n'.length);
    recorder.kill('SIGINT');
    expect(await ended).toBe(0);
    const records = recordsOf(join(cwd, '.deadheat/procs-1'));
    const starts = records.flatMap((record) => (record.kind === 'start' ? [record.how] : []));
    expect(starts.filter((how) => how === 'thread').length).toBeGreaterThan(3);
    expect(records.some(({ kind }) => kind === 'call')).toBe(true);
  });

  it('ends when its time is up, and the program goes on', async () => {
    const cwd = scratchFolder();
    const tree = await running('echo ready; while :; do sleep 0.05; done', cwd);
    const args = ['record', '-q', '--duration', '0.5', '--pid', `${tree.pid}`];
    expect(deadheat(args, { cwd })).toMatchObject({ status: 0, stderr: '' });
    expect(isAlive(tree)).toBe(true);
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
    expect(info.state).toBe('complete');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends the recording, not the program',
    async (name) => {
      const cwd = scratchFolder();
      const tree = await running('echo ready; while :; do sleep 0.05; done', cwd);
      const { recorder, ended } = await attach(tree.pid, cwd);
      recorder.kill(name);
      expect(await ended).toBe(0);
      expect(isAlive(tree)).toBe(true);
      const info = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
      expect(info.state).toBe('complete');
      expect(deadheat(['detect'], { cwd }).status).toBe(0);
    },
  );

  it.each([
    ['4194303', 2, /there is no process 4194303/],
    ['2', 2, /process 2 is a thread of the kernel/],
    [`${process.pid}`, 2, /has started this deadheat/],
    ['0', 2, /number of a process/],
    ['x', 2, /whole number/],
  ])('--pid %s is refused', (pid, status, complaint) => {
    const cwd = scratchFolder();
    const ended = deadheat(['record', '--pid', pid], { cwd });
    expect(ended.status).toBe(status);
    expect(ended.stderr).toMatch(complaint);
  });

  it.each([
    [['--pid', '1', '--recorder', 'ptrace'], /cannot be recorded with ptrace/],
    [['--pid', '1', '--keep'], /cannot be used with/],
    [['--pid', '1', '--', 'true'], /exclude each other/],
    [['--duration', '0', '--', 'true'], /number of seconds/],
  ])('%j is wrong usage', (args, complaint) => {
    const ended = deadheat(['record', ...args], { cwd: scratchFolder() });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(complaint);
  });
});

it('a plain user is told what --pid needs', () => {
  const ended = deadheatAsPlainUser(['record', '--pid', '1'], { cwd: scratchFolder() });
  expect(ended.status).toBe(69);
  expect(ended.stderr).toMatch(/eBPF needs root.*; record as root/);
});

describe.each(['bpf', 'ptrace'])('--duration, with %s', (recorder) => {
  const recordFor = (seconds: number): string[] => [
    ...['record', '-q', '--recorder', recorder, '--duration', `${seconds}`, '--'],
  ];

  it('ends a program that would run on, and the run is complete', () => {
    const cwd = scratchFolder();
    const started = Date.now();
    // Other tests have programs that sleep, too.
    const seconds = `${86_400 + Math.floor(Math.random() * 1e6)}`;
    const program = ['sh', '-c', `echo x > a; sleep ${seconds} & wait`];
    const ended = deadheat([...recordFor(1), ...program], { cwd });
    expect(ended).toMatchObject({ status: 0, signal: null, stderr: '' });
    expect(Date.now() - started).toBeGreaterThan(1000);
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ state: 'complete', reason: 'its time was up' });
    const detected = deadheat(['detect'], { cwd });
    expect(detected.stdout).not.toMatch(/interrupted/);
    expect(runToEnd('pgrep', ['-f', `^sleep ${seconds}$`], { cwd }).stdout).toBe('');
  });

  it('passes on how a program ends by itself', () => {
    const cwd = scratchFolder();
    expect(deadheat([...recordFor(1000), 'sh', '-c', 'exit 5'], { cwd }).status).toBe(5);
    // Time enough to set the trap, also on a slow machine.
    const own = 'trap "exit 6" INT; while :; do sleep 0.1; done';
    expect(deadheat([...recordFor(5), 'sh', '-c', own], { cwd }).status).toBe(6);
  });
});
