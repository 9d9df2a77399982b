/** However deadheat is ended while it watches a process: nothing of it is left there, and the process goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryTo } from '../src/base/result.ts';
import { ALL_SIGNALS } from '../src/cli/early-end.ts';
import { pid } from '../src/linux/ids.ts';
import { statusField } from '../src/linux/running-process.ts';
import { Signal, sendSignal } from '../src/linux/signals.ts';
import { startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import {
  CHECKED,
  CHECKING,
  codeOf,
  compiledC,
  running,
  statusOf,
} from './harness/watched-program.ts';

const RATE = '500';
/** So that many breakpoints stand. */
const WATCHED_FOR_MS = 300;

/** Until it has said so, and for a while then; what it says later is not waited for. */
async function watchingFor(child: ChildProcess, text: RegExp): Promise<void> {
  let said = '';
  child.stderr!.on('data', (data) => {
    said += data;
  });
  child.stdout!.resume();
  while (!text.test(said) && child.exitCode === null) await sleep(5);
  expect(said).toMatch(text);
  await sleep(WATCHED_FOR_MS);
}

const endOf = (child: ChildProcess): Promise<string | number | null> =>
  new Promise((resolve) => child.once('exit', (status, signal) => resolve(signal ?? status)));

/** A process is watched by the command, until `end` ends that; how it has ended then. */
async function leftIntact(
  end: (watcher: ChildProcess) => Promise<void>,
): Promise<string | number | null> {
  const folder = scratchFolder();
  const program = await running(folder, compiledC(folder, CHECKING));
  const before = codeOf(program.pid);
  const watcher = startDeadheat(['watch', '--rate', RATE, '--pid', `${program.pid}`], {
    cwd: folder,
  });
  const ended = endOf(watcher);
  await watchingFor(watcher, /watching process/);
  await end(watcher);
  const how = await ended;
  expect(statusField(program.pid, 'TracerPid')).toBe(0);
  expect(codeOf(program.pid)).toEqual(before);
  sendSignal(program.pid, Signal.SIGTERM);
  expect(await statusOf(program)).toBe(CHECKED);
  return how;
}

describe('a process that is watched', () => {
  it.each(ALL_SIGNALS)('is let go when deadheat gets %s', async (signal) => {
    const how = await leftIntact(async (watcher) => void watcher.kill(signal));
    expect(how).toBe(signal);
  });

  it.each([0, 2, 10, 50])('is let go at a second and a third signal %i ms later', async (gap) => {
    const how = await leftIntact(async (watcher) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        watcher.kill(signal);
        if (gap > 0) await sleep(gap);
      }
    });
    expect(['SIGINT', 'SIGTERM', 'SIGHUP']).toContain(how);
  });

  it.each([
    ['SIGUSR1, by which Node would open its debugger', Signal.SIGUSR1],
    ['a real-time signal, which Node does not know', 40],
  ])('is not let go for %s', async (_, signal) => {
    const how = await leftIntact(async (watcher) => {
      sendSignal(pid(watcher.pid!), signal);
      await sleep(WATCHED_FOR_MS);
      expect(watcher.exitCode).toBeNull();
      watcher.kill('SIGINT');
    });
    expect(how).toBe('SIGINT');
  });
});

/** Stands at its start. What it says comes together with what the program says. */
async function served(folder: string, path: string) {
  const server = spawn('gdbserver', ['--once', '127.0.0.1:0', path, folder], { stdio: 'pipe' });
  onTestFinished(() => void server.kill('SIGKILL'));
  let said = '';
  const listen = (data: Buffer): void => {
    said += data;
  };
  server.stdout.on('data', listen);
  server.stderr.on('data', listen);
  const found = async (text: RegExp): Promise<string> => {
    while (!text.test(said)) await sleep(5);
    return text.exec(said)![1]!;
  };
  const program = pid(Number(await found(/pid = (\d+)/)));
  onTestFinished(() => void tryTo(() => sendSignal(program, Signal.SIGKILL)));
  return { program, found, place: `127.0.0.1:${await found(/port (\d+)/)}` };
}

describe('a program behind gdbserver', () => {
  it.each([[['SIGQUIT']], [['SIGINT', 'SIGTERM']], [['SIGUSR2', 'SIGUSR2', 'SIGUSR2']]] as const)(
    'is let go when deadheat gets %s',
    async (signals) => {
      const folder = scratchFolder();
      const text = CHECKING.replace('return 7;', 'puts("(fine)"); return 7;');
      const path = compiledC(folder, text);
      const { program, found, place } = await served(folder, path);
      const ownCode = (): string[] =>
        [...codeOf(program)].flatMap(([name, code]) => (name.startsWith(path) ? [code] : []));
      const before = ownCode();
      const watcher = startDeadheat(['watch', '--rate', '200', '--gdb', place], { cwd: folder });
      const ended = endOf(watcher);
      await watchingFor(watcher, /watching what is behind/);
      for (const signal of signals) {
        watcher.kill(signal);
        await sleep(3);
      }
      expect(signals).toContain(await ended);
      while (statusField(program, 'TracerPid') !== 0) await sleep(5);
      expect(ownCode()).toEqual(before);
      sendSignal(program, Signal.SIGTERM);
      expect(await found(/\((fine)\)/)).toBe('fine');
    },
  );
});
