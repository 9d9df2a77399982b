/** Stand-offs that somebody ends, and those of plain users: nothing is left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { StandOffLimits } from '../src/threads/confirm/side.ts';
import { nodeAsPlainUser } from './harness/deadheat.ts';
import { LIMITS, racingProgram, runnable, runningFrom, sideAt } from './harness/racing-program.ts';
import { scratchFolder } from './harness/scratch.ts';

const SCRIPT = fileURLToPath(new URL('./harness/stand-off.mjs', import.meta.url));

/** A file with all that a stand-off needs. */
function taskFile(folder: string, text: string, limits: Partial<StandOffLimits> = {}): string {
  const binary = racingProgram(folder, text);
  const target = runnable(folder, binary, join(folder, 'ready'));
  const sides = [sideAt(binary, 'side_a', true), sideAt(binary, 'side_b', false)];
  const task = { target, race: { sides }, limits: { ...LIMITS, ...limits } };
  const file = join(folder, 'task.json');
  writeFileSync(
    file,
    JSON.stringify(task, (_, value) => (typeof value === 'bigint' ? undefined : value)),
  );
  return file;
}

/** The worker is held; what main does instead of coming to the other side comes after it has said so. */
const waiting = (instead: string): string => `
int shared;
void *worker(void *none) { SIDE_A("movl $7, %0", : "=m"(shared)); return none; }
int main(int argc, char **argv) {
  pthread_t t = start(worker);
  ${instead}
  fclose(fopen(argv[1], "w"));
  while (argc) usleep(1000);
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
  pthread_join(t, NULL);
}`;

interface Running {
  folder: string;
  child: ChildProcess;
  ended: Promise<{ status: number | null; signal: string | null; stdout: string }>;
}

/** Started, and the program has said that it is there. */
async function started(text: string): Promise<Running> {
  const folder = scratchFolder();
  const file = taskFile(folder, text, { stallMs: 600_000, patienceMs: 600_000 });
  const child = spawn(process.execPath, [SCRIPT, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  const ended = new Promise<Awaited<Running['ended']>>((resolve) => {
    child.once('close', (status, signal) => resolve({ status, signal, stdout }));
  });
  while (!existsSync(join(folder, 'ready')) && child.exitCode === null) await sleep(20);
  return { folder, child, ended };
}

describe('a stand-off', () => {
  it('ends with Ctrl-C, which is the program’s own', async () => {
    const { folder, child, ended } = await started(waiting(''));
    child.kill('SIGINT');
    const { stdout } = await ended;
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'missed', cause: 'interrupted', attempts: 1 });
    expect(runningFrom(folder)).toEqual([]);
  });

  it('ends with a second Ctrl-C, if the program does not heed the first', async () => {
    const { folder, child, ended } = await started(waiting('signal(SIGINT, SIG_IGN);'));
    child.kill('SIGINT');
    await sleep(300);
    expect(runningFrom(folder)).toHaveLength(1);
    child.kill('SIGINT');
    expect(JSON.parse((await ended).stdout)).toMatchObject({ cause: 'interrupted' });
    expect(runningFrom(folder)).toEqual([]);
  });

  it('leaves no program behind if deadheat is killed', async () => {
    const { folder, child, ended } = await started(waiting(''));
    expect(runningFrom(folder)).toHaveLength(1);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    while (runningFrom(folder).length > 0) await sleep(20);
  });

  it('is for plain users, too', () => {
    const folder = scratchFolder();
    const file = taskFile(
      folder,
      `
int shared;
void *worker(void *none) { SIDE_A("movl $7, %0", : "=m"(shared)); return none; }
int main(int argc, char **argv) {
  pthread_t t = start(worker);
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
  pthread_join(t, NULL);
}`,
    );
    chmodSync(folder, 0o777);
    const { status, stdout, stderr } = nodeAsPlainUser([SCRIPT, file], { cwd: folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ kind: 'confirmed', attempts: 1 });
    expect(runningFrom(folder)).toEqual([]);
  });
});
