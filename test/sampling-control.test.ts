/** Sampling by time: turned on and off, with stacks, with little room, with perf. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SampleFlag } from '../src/linux/agent-protocol.ts';
import { pid } from '../src/linux/ids.ts';
import {
  openSampling,
  type Sampling,
  type SamplingOptions,
} from '../src/linux/sampling-control.ts';
import { wakeSampled } from '../src/linux/sampling-signal.ts';
import { newSampling, sampledFolder, sampledProgram } from './harness/sampling-run.ts';

const PERIOD = 4_000_000;

describe('a program that is busy', () => {
  it('is sampled by its own processor time, with locks and stacks', async () => {
    const program = await busy({ period: PERIOD, stackWords: 4 }, '-fno-omit-frame-pointer');
    await until(() => program.sampling.control.figures().samples > 40);
    const { names, samples } = await program.end();
    expect(names).toEqual(['1-1', '1-2', '1-3']);
    const taken = ['2', '3'].flatMap(samples);
    const [held, marked, deep] = [
      taken.filter(({ locks }) => locks.includes(program.lock)),
      taken.filter(({ flags }) => flags & SampleFlag.DH_SAMPLE_IN_LOCK),
      taken.filter(({ stack }) => stack.length >= 2),
    ];
    // Nearly all it does is done with the lock, by inner, which outer has called, which work has called.
    expect(held.length).toBeGreaterThan(taken.length / 2);
    expect(marked.length).toBeLessThan(taken.length / 2);
    expect(deep.length).toBeGreaterThan(taken.length / 2);
    const callers = new Set(deep.map(({ stack }) => stack.slice(0, 2).join()));
    expect(callers.size).toBeLessThan(deep.length / 2);
  });

  it('is sampled when somebody turns it on, until it is turned off', async () => {
    const program = await busy({ period: PERIOD, on: false });
    const control = openSampling(program.sampling.path);
    if (!control.ok) throw new Error(control.error);
    const figures = () => control.value.figures();
    await sleep(50);
    expect([figures().logged, figures().samples]).toEqual([0, 0]);
    for (let round = 0; round < 2; round++) {
      const before = figures().samples;
      control.value.on = true;
      wakeSampled(pid(program.child.pid!));
      await until(() => figures().samples > before + 20);
      control.value.on = false;
      // A tick later, nobody is sampled any more.
      await until(async () => {
        const { samples } = figures();
        await sleep(50);
        return figures().samples === samples;
      });
    }
    const { lines } = await program.end();
    // A thread that gets no processor time between two changes notices neither.
    const switches = ['2', '3'].map((thread) =>
      lines(thread)
        .filter((line) => line === 'on' || line === 'off')
        .join(' '),
    );
    for (const changes of switches) expect(changes).toMatch(/^on off( on off)?$/);
    expect(switches).toContain('on off on off');
    control.value.close();
  });

  it('goes on when there is no more room for its logs', async () => {
    const program = await busy({ period: PERIOD, maxLog: 300_000 });
    await until(() => [...program.sampling.channel.records()].some(isProblem));
    const { lines } = await program.end();
    const problems = [...program.sampling.channel.records()].filter(isProblem);
    expect(problems.map(({ what }) => what)).toEqual(['DH_PROBLEM_LOG_LIMIT']);
    expect(lines('2').at(-1)).toBe('off');
  });

  it('gets no SIGXFSZ where its files may not grow', async () => {
    const program = await busy({ period: PERIOD }, '-DSMALL_FILES=100000');
    await until(() => [...program.sampling.channel.records()].some(isProblem));
    await program.end();
    const problems = [...program.sampling.channel.records()].filter(isProblem);
    expect(problems.map(({ what, errno }) => [what, errno])).toEqual([
      ['DH_PROBLEM_LOG_STOPPED', 27],
    ]);
  });

  it('is sampled by perf, or by the timer where there is no perf', async () => {
    const cpuClock = { kind: 'perf', type: 1, config: 0n, precise: 0 } as const;
    const program = await busy({ event: cpuClock, period: 1_000_000 });
    await until(() => program.sampling.control.figures().samples > 200);
    const { samples } = await program.end();
    expect(samples('2').length).toBeGreaterThan(10);
    const problems = [...program.sampling.channel.records()].filter(isProblem);
    for (const { what, text } of problems) {
      expect([what, text]).toEqual(['DH_PROBLEM_NO_EVENT', 'perf_event_open']);
    }
  });

  it('gives two samples an interrupt where there is a record of the hardware', async () => {
    // The kernel's clock stands in for it: its records have the registers of the interrupt.
    const recording = { kind: 'perf', type: 1, config: 0n, precise: 1 } as const;
    const program = await busy({ event: recording, period: 1_000_000 });
    await until(() => program.sampling.control.figures().samples > 200);
    const { samples } = await program.end();
    const isHardware = (flags: number): boolean => (flags & SampleFlag.DH_SAMPLE_HARDWARE) !== 0;
    const taken = samples('2');
    const pairs = taken.flatMap((sample, at) =>
      isHardware(sample.flags) ? [[sample, taken[at + 1]!] as const] : [],
    );
    if ([...program.sampling.channel.records()].some(isProblem)) return expect(pairs).toEqual([]);
    expect(pairs.length).toBeGreaterThan(10);
    for (const [, signal] of pairs) expect(isHardware(signal.flags)).toBe(false);
    // The signal comes with the interrupt here, so that both say the same.
    const same = pairs.filter(([record, signal]) => record.place === signal.place);
    expect(same.length).toBeGreaterThan(pairs.length / 2);
    for (const [record, signal] of same) expect(record.registers).toEqual(signal.registers);
  });
});

const isProblem = <T extends { kind: string }>(record: T): record is T & { kind: 'problem' } =>
  record.kind === 'problem';

interface BusyProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly sampling: Sampling;
  /** As in a sample. */
  readonly lock: string;
  /** It must have ended well. */
  end(): Promise<ReturnType<typeof sampledFolder>>;
}

async function busy(options: Partial<SamplingOptions>, ...flags: string[]): Promise<BusyProgram> {
  const sampling = newSampling(options);
  const env = { ...process.env, ...sampling.environment };
  const child = spawn(sampledProgram('busy.c', ...flags), { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [lock] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    ...{ child, sampling, lock: lock.trim().slice('0x'.length) },
    end: async () => {
      const ended = once(child, 'exit');
      child.stdin.write('.');
      expect(await ended).toEqual([7, null]);
      return sampledFolder(sampling.folder);
    },
  };
}

/** However slow the machine is. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10);
}
