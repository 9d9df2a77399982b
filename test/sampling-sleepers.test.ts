/** Threads that sleep when sampling is turned on or off: what they wait for does not end by that. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SamplingNumbers } from '../src/linux/agent-protocol.ts';
import { type Pid, pid, type Tid, tid } from '../src/linux/ids.ts';
import { rawSyscall } from '../src/linux/raw-syscall.ts';
import { processStat } from '../src/linux/running-process.ts';
import { queueSignal } from '../src/linux/sampling-signal.ts';
import { hasSignal, signalSetsOf } from '../src/linux/signal-sets.ts';
import { Signal } from '../src/linux/signals.ts';
import { newSampling, sampledProgram } from './harness/sampling-run.ts';

const CALLS = 10;
const { DH_SAMPLING_SIGNAL, DH_SAMPLING_COOKIE } = SamplingNumbers;

it('goes on sleeping in whatever call it sleeps', async () => {
  const { child, process, threads } = await sleepers(CALLS);
  for (const [call, thread] of threads) {
    for (let time = 0; time < 3; time++) {
      queueSignal(process, thread, DH_SAMPLING_COOKIE);
      await until(() => isAsleep(thread) || child.exitCode !== null);
    }
    expect(child.exitCode, call).toBe(null);
  }
  const ended = once(child, 'exit');
  child.stdin.write('.');
  expect(await ended).toEqual([7, null]);
});

it('wakes by a signal of its own that comes at the same time', async () => {
  const { child, process, threads } = await sleepers(1, 'pause');
  const said = once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const thread = threads.get('pause')!;
  await until(() => processStat(thread)?.state === 'T');
  queueSignal(process, thread, DH_SAMPLING_COOKIE);
  // Its number is higher, so that ours is delivered first.
  rawSyscall('tgkill', [process, thread, Signal.SIGWINCH]);
  child.kill('SIGCONT');
  expect(String(await said)).toBe('pause returned -1, errno 4\n');
});

interface Sleepers {
  readonly child: ChildProcessWithoutNullStreams;
  readonly process: Pid;
  /** By the call that each sleeps in. */
  readonly threads: ReadonlyMap<string, Tid>;
}

/** `call`: if there is to be only one. */
async function sleepers(count: number, ...call: string[]): Promise<Sleepers> {
  const sampling = newSampling();
  const env = { ...process.env, ...sampling.environment };
  const child = spawn(sampledProgram('sleepers.c', '-pthread'), call, { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (data) => {
    said += data;
  });
  await until(() => said.split('\n').length > count);
  const threads = new Map(
    [...said.matchAll(/^(\w+) (\d+)$/gm)].map(([, call = '', id]) => [call, tid(Number(id))]),
  );
  await until(() => [...threads.values()].every(isAsleep));
  return { child, process: pid(child.pid!), threads };
}

/** Nothing is on its way to it any more. */
function isAsleep(thread: Tid): boolean {
  const pending = signalSetsOf(thread)?.('SigPnd') ?? 0n;
  return processStat(thread)?.state === 'S' && !hasSignal(pending, DH_SAMPLING_SIGNAL);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}
