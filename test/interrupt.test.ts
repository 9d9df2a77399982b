/** Ctrl-C in the middle: the whole tree ends, what was recorded is kept and says so. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deadheat, startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

/** A number no other test uses, to find the processes again by. */
const marker = (): string => `${86_400 + Math.floor(Math.random() * 1e6)}`;

function running(seconds: string): string {
  try {
    return execFileSync('pgrep', ['-f', `sleep ${seconds}`], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * A tree of processes that will not end by itself: children, a grandchild, one that has left its session.
 * Who is started last says that all are there.
 */
const tree = (seconds: string): string => `
  sleep ${seconds} & setsid sleep ${seconds} & sh -c 'echo ready; sleep ${seconds}; :' &
  wait`;

/** Looks again and again; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(50);
}

async function interrupt(
  cwd: string,
  script: string,
  signals: NodeJS.Signals[],
  recorder = 'auto',
  ...options: string[]
) {
  const args = ['record', '--recorder', recorder, ...options, '--', 'sh', '-c', script];
  const child = startDeadheat(args, { cwd });
  let stdout = '';
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  let stderr = '';
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal));
  });
  await until(() => stdout.includes('ready'));
  for (const signal of signals) {
    child.kill(signal);
    await sleep(300);
  }
  return { signal: await ended, stderr };
}

describe('an interrupted recording', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends everything', async (name) => {
    const cwd = scratchFolder();
    const seconds = marker();
    const { signal, stderr } = await interrupt(cwd, tree(seconds), [name]);
    expect(signal).toBe(name);
    expect(stderr).toMatch(new RegExp(`interrupted by ${name}: .* kept in procs-1`));
    expect(running(seconds)).toBe('');
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ state: 'interrupted', reason: `ended by ${name}` });
    const detected = deadheat(['detect'], { cwd });
    expect(detected.stdout).toMatch(/warning: the recording was interrupted and is incomplete/);
    // Each shell asks for its parent when it starts, and this one lost it.
    expect(detected.stdout).toMatch(
      /^R1 \[.*\] sh orphans process \d+ while sh asks for the parent/m,
    );
    expect(detected.stdout).toMatch(/^deadheat: reported 1 race$/m);
    expect(detected.status).toBe(66);
  });

  it('also ends what ignores the signal, five seconds later or at the second one', async () => {
    const seconds = marker();
    const deaf = `trap '' INT TERM; ${tree(seconds)}`;
    for (const signals of [['SIGINT'], ['SIGINT', 'SIGINT']] as NodeJS.Signals[][]) {
      const { signal } = await interrupt(scratchFolder(), deaf, signals);
      expect(signal).toBe('SIGINT');
      expect(running(seconds)).toBe('');
    }
  });

  // Without a sandbox, the recorder in the kernel has no hold over the program, which just goes on.
  it.each([['bpf'], ['ptrace'], ['ptrace', '--in-place']])(
    'leaves nothing running or mounted if deadheat itself is killed: %s %s',
    async (...how) => {
      const seconds = marker();
      const { signal } = await interrupt(scratchFolder(), tree(seconds), ['SIGKILL'], ...how);
      expect(signal).toBe('SIGKILL');
      // The kernel ends them, in its own time.
      await until(() => running(seconds) === '');
      expect(readFileSync('/proc/mounts', 'utf8')).not.toMatch(/^deadheat /m);
    },
  );

  it('works the same from the keyboard', async () => {
    const cwd = scratchFolder();
    const seconds = marker();
    let pressed = false;
    const session = await onTerminal(
      ['deadheat', 'record', '--', 'sh', '-c', tree(seconds)],
      cwd,
      (soFar, write) => {
        if (!pressed && /ready/.test(soFar)) {
          pressed = true;
          write('\x03');
        }
      },
    );
    expect(session.text).toMatch(/interrupted by SIGINT: .* kept in procs-1/);
    expect(running(seconds)).toBe('');
  });
});
