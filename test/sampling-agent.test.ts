/** The sampling agent inside real programs: what its samples and logs say of what programs really do. */
import { describe, expect, it } from 'vitest';
import { SampleFlag } from '../src/linux/agent-protocol.ts';
import {
  type Block,
  type SamplingRun,
  sampledProgram,
  samplingRun,
} from './harness/sampling-run.ts';
import { expectTrueLocks } from './harness/true-locks.ts';

describe('the locks of a sample', () => {
  it('are those that the thread holds, whatever kinds it takes and in which order', () => {
    const program = sampledProgram('random-locks.c');
    for (let seed = 1; seed <= 10; seed++) expectTrueLocks(program, seed);
  });
});

describe('more locks than a sample tells of', () => {
  it('are known to be held until they are let go, and not until others are', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['many-locks']);
    expect(run.status).toBe(7);
    const told = run.samples('1').map(({ flags, locks }) => [flags & MORE_LOCKS, locks.length]);
    expect(told).toEqual([
      [MORE_LOCKS, 32],
      [0, 32],
    ]);
  });
});

describe('a handler that jumps out of the agent', () => {
  it('does not keep the thread from being sampled later, and what it has left out is known', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['jumps-out']);
    expect(run.status).toBe(7);
    expect(run.samples('1').map(({ locks }) => locks.length)).toEqual([1]);
    const switches = run.lines('1').filter((line) => line === 'on' || line === 'off');
    expect(switches.length).toBeGreaterThan(2);
  });
});

describe('a lock that another thread lets go', () => {
  it('is told of, since nobody knows any more who holds what', () => {
    const program = sampledProgram('lives.c');
    const problems = (what: string): unknown =>
      samplingRun(program, [what]).records.flatMap((one) =>
        one.kind === 'problem' ? one.what : [],
      );
    expect(problems('foreign-unlock')).toEqual(['DH_PROBLEM_FOREIGN_UNLOCK']);
    for (const what of ['threads', 'c11', 'cancel', 'robust', 'forks', 'streams']) {
      expect(problems(what)).toEqual([]);
    }
  });
});

describe('streams', () => {
  it('are locks between flockfile and funlockfile', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['streams']);
    expect(run.status).toBe(7);
    const held = run.samples('1').map(({ locks }) => locks);
    expect(held.map(({ length }) => length)).toEqual([1, 1, 0, 1]);
    expect(new Set(held.flat()).size).toBe(1);
  });
});

describe('what is logged', () => {
  it('of threads that meet', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['threads']);
    expect(run.status).toBe(7);
    expectInOrder(run.lines('1'), [
      ...['on', 'begin', 'fork 2', 'wait-done', 'arrive', 'leave', 'wait-done', 'join 2'],
    ]);
    expectInOrder(run.lines('2'), [
      ...['on', 'begin', 'post', 'arrive', 'leave', 'once-end', 'signal', 'post', 'post', 'end'],
    ]);
    expect(run.samples('1').map(({ locks }) => locks.length)).toEqual([1]);
    expect(run.samples('2').map(({ locks }) => locks.length)).toEqual([1, 0, 0, 0]);
  });

  it('of a mutex that goes with a condition, as if it were waited for, but only what is new', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['hand-over']);
    expect(run.status).toBe(7);
    // Before its sample it tells that it is there, after it of the sample; and each time what it hears of the other.
    const [one, other] = [run.lines('1'), run.lines('2')];
    expectInOrder(other, ['on', 'begin', 'signal', 'post', 'signal', 'post', 'end']);
    expectInOrder(one, ['on', 'begin', 'fork 2', 'wait-done', 'join 2']);
    expect(one.length + other.length).toBeLessThan(40);
  });

  it('of C11 threads, and of one that is cancelled while it waits', () => {
    const program = sampledProgram('lives.c');
    const c11 = samplingRun(program, ['c11']);
    expect([c11.status, c11.lines('1')]).toEqual([7, ['on', 'begin', 'fork 2', 'join 2']]);
    expect(c11.samples('2').map(({ locks }) => locks.length)).toEqual([1]);
    const cancelled = samplingRun(program, ['cancel']);
    expect(cancelled.status).toBe(7);
    const samples = [...cancelled.samples('1'), ...cancelled.samples('2')];
    expect(samples.map(({ flags, locks }) => [flags & IN_LOCK, locks.length])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    // libgcc, which unwinds its stack, has a pthread_once of its own.
    const lines = cancelled.lines('2').filter((line) => !line.startsWith('once'));
    expect(lines.at(-1)).toBe('end');
  });

  it('of a robust mutex: it is held by whoever learns that its owner has died', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['robust']);
    expect(run.status).toBe(7);
    expect(run.samples('2').map(({ locks }) => locks.length)).toEqual([1]);
    expect(run.samples('1').map(({ locks }) => locks.length)).toEqual([1, 0]);
  });

  it.runIf(process.geteuid?.() === 0)('of a process that is nobody, but was root before', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['becomes-nobody']);
    expect(run.status).toBe(7);
    expect(run.records.filter(({ kind }) => kind === 'problem')).toEqual([]);
    for (const thread of ['1', '2']) {
      expect(run.samples(thread)).toHaveLength(1);
      expect(run.blocks(thread).length).toBeGreaterThan(30_000);
    }
  });

  it('of processes: each has logs of its own, however it came to be', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['forks']);
    expect(run.status).toBe(7);
    expect(run.names).toEqual(['1-1', '2-1', '3-1', '4-1', '5-1']);
    const parents = run.records.flatMap((record) =>
      record.kind === 'hello' ? [record.parentProcess] : [],
    );
    expect(parents).toEqual([undefined, 1, undefined, undefined, 1]);
    const locks = run.names.map((name) => run.samples(name).map(({ locks }) => locks.length));
    expect(locks).toEqual([[0, 1], [1], [1], [1], [1]]);
    expect(run.lines('2-1')).toEqual(['on', 'process-fork 1']);
  });

  it('of threads and processes that do nothing: nothing, and no file is made for them', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['idlers']);
    expect([run.status, run.names]).toEqual([7, ['1-1']]);
    expect(run.lines('1')).toEqual(['on', 'begin', 'fork 2', 'join 2']);
    expect(run.records.filter(({ kind }) => kind === 'hello')).toHaveLength(2);
  });

  it('of more threads than have numbers: nothing from the first of these on', () => {
    const run = samplingRun(sampledProgram('lives.c'), ['too-many']);
    expect(run.status).toBe(7);
    expect(run.records.filter(({ kind }) => kind === 'problem')).toMatchObject([
      { what: 'DH_PROBLEM_TOO_MANY_THREADS' },
    ]);
    expect(run.lines('1').slice(-3)).toEqual(['fork 65535', 'join 65535', 'off']);
    expect(run.samples('1')).toHaveLength(1);
  });

  it('of memory: each block that anybody may have seen, with its size', () => {
    const run = samplingRun(sampledProgram('memory.c', '-fno-builtin'));
    expect(run.status).toBe(7);
    const [truth, told] = [printedBlocks(run), toldBlocks(run)];
    // The program's own output takes some room as well, at the end; the thousand that came and went are not there.
    expect(told.slice(0, truth.length)).toEqual(truth);
    expect(told.length).toBeLessThan(truth.length + 8);
  });

  it.each(['1', '2', '3'])(
    'of memory that comes back: that it was renewed, and what it is, with seed %s',
    (seed) => {
      const run = samplingRun(sampledProgram('blocks-again.c', '-pthread'), [seed]);
      expect(run.status).toBe(7);
      const truth = run.stdout
        .split('sample\n')
        .map((part) => part.trim().split('\n').filter(Boolean));
      const told = run.blocksBetweenSamples('1').map((part) => part.map(lineOfBlock));
      expect(told).toHaveLength(truth.length);
      const [live, liveAsTold] = [new Map<string, string>(), new Map<string, string>()];
      // The last part has the program's own output in it.
      for (const [part, lines] of truth.slice(0, -1).entries()) {
        const printed = lines.map((line) => recordedLine(line));
        expect(renewedBy(told[part]!, liveAsTold)).toEqual(renewedBy(printed, live));
        expect(liveAsTold).toEqual(live);
      }
      const count = (parts: readonly unknown[][]): number => parts.slice(0, -1).flat().length;
      expect(count(told)).toBeLessThan(0.9 * count(truth));
    },
  );

  it("of C++'s new: each block once, whoever it comes from", () => {
    const staticAssert = '-D_Static_assert=static_assert';
    const flags = ['-std=gnu++14', '-faligned-new', staticAssert, '-lstdc++'];
    const plain = sampledProgram('makes-new.cc', ...flags);
    const library = sampledProgram('own-new.cc', '-shared', '-fPIC');
    const other = sampledProgram('makes-new.cc', library, ...flags);
    const shared = sampledProgram('makes-new.cc', '-shared', '-fPIC', ...flags);
    const env = { WITHOUT_MEMORY: '1' };
    for (const run of [
      samplingRun(plain, [], { env }),
      samplingRun(other),
      samplingRun(sampledProgram('loads-new.c'), [shared], { env }),
    ]) {
      expect([run.status, run.stderr]).toEqual([7, '']);
      const truth = printedBlocks(run).slice(0, -1);
      const told = toldBlocks(run);
      for (const block of truth) expect(told.filter((one) => one === block)).toEqual([block]);
      expect(run.samples('1')).toHaveLength(truth.length + 1);
    }
    expect(toldBlocks(samplingRun(plain)).length).toBeLessThan(100);
  });

  it('of libraries: where they are, and that they are gone', () => {
    const library = sampledProgram('loaded.c', '-shared', '-fPIC');
    const run = samplingRun(sampledProgram('loads.c'), [library]);
    expect(run.status).toBe(7);
    const function_ = Number.parseInt(run.stdout, 16);
    const images = run.records.filter((record) => record.kind === 'image');
    const loaded = images.find(({ path }) => path === library)!;
    expect(loaded.buildId).toMatch(/^[0-9a-f]{40}$/);
    expect(function_ >= loaded.begin && function_ < loaded.end).toBe(true);
    const [sample] = run.samples('1');
    expect(sample!.place >= loaded.begin && sample!.place < loaded.end).toBe(true);
    expect(images.filter(({ isGone }) => isGone).map(({ begin }) => begin)).toEqual([loaded.begin]);
  });
});

describe('the program', () => {
  it('has its signals as it wants them, and samples are taken all the same', () => {
    const run = samplingRun(sampledProgram('signals.c'));
    expect([run.stdout, run.status]).toEqual(['1\n', 7]);
    const marked = run.samples('1').map(({ flags }) => (flags & IN_LOCK) !== 0);
    // Only the one in a handler that has interrupted a lock operation, which is then left by a jump.
    expect(marked).toEqual([...new Array(9).fill(false), true, false, false]);
    expect(run.samples('1').at(-1)?.locks).toHaveLength(1);
    expect(run.samples('2')).toHaveLength(1);
  });
});

const IN_LOCK = SampleFlag.DH_SAMPLE_IN_LOCK;
const MORE_LOCKS = SampleFlag.DH_SAMPLE_MORE_LOCKS;

/** All of these, perhaps with others in between: who comes first is chance now and then. */
function expectInOrder(lines: readonly string[], wanted: readonly string[]): void {
  let next = 0;
  for (const line of lines) if (line === wanted[next]) next++;
  expect(wanted.slice(next), lines.join(', ')).toEqual([]);
}

/** What a program has printed of its blocks, as a MEMORY record has it. */
const printedBlocks = ({ stdout }: SamplingRun): string[] =>
  stdout.trim().split('\n').map(recordedLine);

const toldBlocks = (run: SamplingRun): string[] => run.blocks('1').map(lineOfBlock);

const lineOfBlock = ({ address, isFreed, size }: Block): string =>
  `${address.toString(16)} ${isFreed ? 'free' : size}`;

/** Which blocks have come or gone, whatever their number; `live` is what is there before and afterwards. */
function renewedBy(lines: readonly string[], live: Map<string, string>): string[] {
  const renewed = new Set<string>();
  for (const [at = '', size = ''] of lines.map((line) => line.split(' '))) {
    renewed.add(`${at} ${size === 'free' ? live.get(at) : size}`);
    if (size === 'free') live.delete(at);
    else live.set(at, size);
  }
  return [...renewed].sort();
}

const recordedLine = (line: string): string => {
  const [at = '', size = ''] = line.split(' ');
  return recorded(Number.parseInt(at, 16), size);
};

/** As a MEMORY record has it: from the beginning of a unit to the end of one. */
const recorded = (at: number, size: string): string => {
  const start = at - (at % 16);
  const needed = at - start + Number(size);
  const unit = needed <= (2 ** 19 - 1) * 16 ? 16 : 65536;
  return `${start.toString(16)} ${size === 'free' ? size : Math.ceil(needed / unit) * unit}`;
};
