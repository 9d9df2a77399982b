/** Watching that somebody ends, that plain users do, or that is refused: the process goes on as if nothing had been. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Pid, pid } from '../src/linux/ids.ts';
import { setting } from '../src/linux/kernel-settings.ts';
import { isKernelThread, statusField } from '../src/linux/running-process.ts';
import { nodeAsPlainUser } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { codeOf, compiledC } from './harness/watched-program.ts';

const SCRIPT = fileURLToPath(new URL('./harness/watch-process.mjs', import.meta.url));

/** Comes to `come` again and again in two threads, until it is told to end. */
const BUSY = `
volatile int stop;
long data[2];
__attribute__((noinline)) long come(long *place) { return ++*place; }
void *worker(void *place) { for (long n = 1; !stop; n++) if (come(place) != n) abort(); return NULL; }
void end(int signal) { stop = 1; }
int main(int argc, char **argv) {
  pthread_t t[2];
  signal(SIGTERM, end);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &data[i]);
  ready(argv[1]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return 7;
}`;

interface Running {
  readonly child: ChildProcess;
  readonly pid: Pid;
  readonly ended: Promise<{ status: number | null; signal: string | null; stdout: string }>;
  said(): string;
}

function start(command: string, args: readonly string[]): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  const ended = new Promise<Awaited<Running['ended']>>((resolve) => {
    child.once('close', (status, signal) => resolve({ status, signal, stdout }));
  });
  return { child, pid: pid(child.pid!), ended, said: () => stdout };
}

async function busyProgram(folder: string): Promise<Running> {
  const running = start(compiledC(folder, BUSY), [folder]);
  while (!existsSync(join(folder, 'ready'))) await sleep(5);
  return running;
}

/** What watching a process is refused with. */
function refusal(process: number): unknown {
  const { stdout } = spawnSync(globalThis.process.execPath, [SCRIPT, `${process}`, 'main'], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

describe('watching', () => {
  it.each([
    ['SIGTERM', 'leave'],
    ['SIGINT', 'leave'],
    ['SIGHUP', 'leave'],
    ['SIGTERM', 'exit'],
    ['SIGTERM', 'throw'],
  ] as const)('ends with %s in mid-window (%s), and nothing is left', async (signal, how) => {
    const program = await busyProgram(scratchFolder());
    const before = codeOf(program.pid);
    for (let times = 0; times < 3; times++) {
      const watcher = start(process.execPath, [SCRIPT, `${program.pid}`, 'come', how]);
      while (!watcher.said().includes('window')) await sleep(5);
      watcher.child.kill(signal);
      expect(await watcher.ended).toMatchObject({ status: how === 'leave' ? 0 : 1 });
      expect(statusField(program.pid, 'TracerPid')).toBe(0);
      expect(codeOf(program.pid)).toEqual(before);
    }
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ status: 7 });
  });

  it('is for plain users, too', async () => {
    const folder = scratchFolder();
    chmodSync(folder, 0o777);
    const path = compiledC(folder, BUSY);
    const script = `
      "$1" "$2" & program=$!
      while ! test -e "$2/ready"; do sleep 0.01; done
      "$3" "$4" $program come > "$2/said" & watcher=$!
      while ! grep -q . "$2/said"; do sleep 0.01; done
      kill -TERM $watcher; wait $watcher; echo "watcher $?"
      kill -TERM $program; wait $program; echo "program $?"; cat "$2/said"`;
    const args = ['-c', script, 'sh', path, folder, process.execPath, SCRIPT];
    const run =
      "require('child_process').spawnSync('sh', JSON.parse(process.argv[1]), { stdio: 'inherit' })";
    const { stdout } = nodeAsPlainUser(['-e', run, JSON.stringify(args)], { cwd: folder });
    expect(stdout).toContain('program 7');
    const mayAttach = (setting('kernel.yama.ptrace_scope') ?? 0) === 0;
    if (mayAttach) expect(stdout).toContain('watcher 0\n');
    else expect(stdout).toContain('kernel.yama.ptrace_scope is');
  });
});

describe('a process that cannot be watched', () => {
  it('is none, or has ended', async () => {
    expect(refusal(4_190_000)).toMatchObject({ message: 'there is no process 4190000', status: 2 });
    const parent = start('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60']);
    while (!parent.said().endsWith('\n')) await sleep(5);
    const zombie = Number(parent.said());
    while (statusField(zombie, 'VmSize') !== undefined) await sleep(5);
    expect(refusal(zombie)).toMatchObject({
      message: `process ${zombie} has ended already`,
      status: 2,
    });
  });

  it.runIf(isKernelThread(2))('is a thread of the kernel', () => {
    expect(refusal(2)).toMatchObject({
      message: expect.stringMatching(/^process 2 is a thread of the kernel/),
      status: 2,
    });
  });

  it('is traced already', async () => {
    const program = await busyProgram(scratchFolder());
    const first = start(process.execPath, [SCRIPT, `${program.pid}`, 'come']);
    while (!first.said().includes('window')) await sleep(5);
    expect(refusal(program.pid)).toMatchObject({
      message: `cannot attach to process ${program.pid}: process ${first.pid} (node) traces it already`,
      status: 69,
    });
    first.child.kill('SIGTERM');
    await first.ended;
  });

  it('is only a thread', async () => {
    const program = await busyProgram(scratchFolder());
    const { stdout } = spawnSync('ls', [`/proc/${program.pid}/task`], { encoding: 'utf8' });
    const thread = Number(stdout.split('\n').find((one) => one !== `${program.pid}`));
    expect(refusal(thread)).toMatchObject({
      message: `${thread} is a thread of process ${program.pid}`,
      remedy: `use --pid ${program.pid}`,
    });
  });

  it.runIf(process.getuid?.() === 0)('is of another user', async () => {
    const folder = scratchFolder();
    const program = await busyProgram(folder);
    const { stdout } = nodeAsPlainUser([SCRIPT, `${program.pid}`, 'come'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      message: expect.stringMatching(/: it is of user 0, and you are user \d+$/),
      status: 69,
    });
  });
});
