/** The agent's gate in real programs: both orders of everything that threads synchronise with. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOG_OP_NAMES } from '../src/linux/agent-log.ts';
import { AgentOption, LogOp, ScheduleAt } from '../src/linux/agent-protocol.ts';
import { collectTrace } from '../src/threads/collect/collect.ts';
import { scheduleOf } from '../src/threads/confirm/schedule.ts';
import { searchRace } from '../src/threads/csp/search-race.ts';
import { Op } from '../src/threads/model/op.ts';
import { ThreadTrace } from '../src/threads/model/trace.ts';
import { loadThreadTrace } from '../src/threads/storage/reader.ts';
import { agentRun, compiled } from './harness/agent-run.ts';
import { deadheat } from './harness/deadheat.ts';
import {
  runSchedule,
  type ScheduledRunOptions,
  scheduledRun,
  until,
} from './harness/scheduled-run.ts';
import { scratchFolder } from './harness/scratch.ts';

const BOTH = ['1 fork 2', '1 fork 3', '2 begin', '3 begin'];
const section = (thread: number, lock: string): string[] => [
  `${thread} acquire ${lock}`,
  `${thread} release ${lock}`,
];

/** Runs it in the order of a trace; nobody holds back its atomic accesses. */
async function runAsRecorded(program: string, args: string[], trace: ThreadTrace) {
  const nowhere = { event: 0 };
  const schedule = scheduleOf(trace, {
    ...{ recordedUntil: trace.length, steps: [], racing: [nowhere, nowhere] },
  });
  const steps = schedule.steps.filter(({ op }) => op !== LogOp.DH_OP_ATOMIC);
  // Nobody waits for a detached thread: the program may be over before its end.
  while (steps.at(-1)?.op === LogOp.DH_OP_END) steps.pop();
  expect(steps.length).toBeGreaterThan(3);
  const run = await runSchedule(program, args, { ...schedule, steps });
  expect(run.progress.divergence).toBeUndefined();
  expect(run.progress).toMatchObject({ turn: steps.length, open: 'by-deadheat' });
  return run;
}

/** Runs it twice, the second time in the order of the first. */
async function recordedAndRun(source: string, args: string[], compiler = 'cc') {
  const program = compiled(source, compiler);
  const { status, records, folder } = agentRun(program, args);
  const trace = new ThreadTrace();
  const describe = () => {
    throw new Error('nothing is instrumented');
  };
  collectTrace({ folder, records, describe, writer: trace });
  expect((await runAsRecorded(program, args, trace)).status).toBe(status);
}

/** The trace of a run as clones. */
function traced(program: string) {
  const cwd = scratchFolder();
  const env = { XDG_CACHE_HOME: join(cwd, 'cache') };
  const { status } = deadheat(['trace', '--', program], { cwd, env });
  return { status, trace: loadThreadTrace(join(cwd, '.deadheat/threads-1/trace.bin')) };
}

async function tracedAndRun(source: string, compiler = 'cc') {
  const program = compiled(source, compiler, '-pthread');
  const { status, trace } = traced(program);
  expect((await runAsRecorded(program, [], trace)).status).toBe(status);
}

/** What the threads have noted, in their order. */
async function noted(name: string, steps: string[], options: ScheduledRunOptions = {}) {
  const run = await scheduledRun(compiled('orders.c'), [name], steps, options);
  expect(run.status).toBe(5);
  expect(run.progress).toEqual({
    ...{ turn: steps.length, open: 'by-deadheat', divergence: undefined },
  });
  return run.stdout.trim();
}

describe('a schedule', () => {
  it('decides who has a mutex first', async () => {
    const [a, b] = [section(2, 'm'), section(3, 'm')];
    expect(await noted('mutex', [...BOTH, ...a, ...b])).toBe('a b');
    expect(await noted('mutex', [...BOTH, ...b, ...a])).toBe('b a');
    expect(await noted('spin', [...BOTH, ...a, ...b])).toBe('a b');
    expect(await noted('spin', [...BOTH, ...b, ...a])).toBe('b a');
  });

  it('decides who is woken, whoever began to wait first', async () => {
    const wait = (thread: number): string[] => [`${thread} acquire m`, `${thread} wait-begin c m`];
    const wake = (thread: number): string[] => [
      ...['1 acquire m', '1 signal c', '1 release m'],
      ...[`${thread} wait-end c m`, `${thread} release m`],
    ];
    for (const [first, second] of [
      [2, 3],
      [3, 2],
    ] as const) {
      const steps = [...BOTH, ...wait(2), ...wait(3), ...wake(first), ...wake(second)];
      expect(await noted('condition', steps)).toBe(first === 2 ? 'a b' : 'b a');
    }
    // One that does not wait at all, since there is something to be had.
    const atOnce = [...BOTH, ...wait(2), '1 acquire m', '1 signal c', '1 release m'];
    const steps = [...atOnce, ...section(3, 'm'), ...wake(2)];
    expect(await noted('condition', steps)).toBe('b a');
  });

  it('has all orders of sections, drawn at random', async () => {
    const own = (thread: number): string[][] =>
      Array.from({ length: 6 }, (_, i) => section(thread, i % 2 === 0 ? 'm' : 'n'));
    const name = (thread: number, i: number): string =>
      (thread === 2 ? ['a', 'A'] : ['b', 'B'])[i % 2]!;
    const isFirst = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(isFirst, async (draws) => {
        const left = new Map([2, 3].map((thread) => [thread, own(thread)]));
        const [steps, names]: [string[], string[]] = [[], []];
        for (const draw of draws) {
          const drawn = draw ? 2 : 3;
          const thread = left.get(drawn)!.length > 0 ? drawn : 5 - drawn;
          names.push(name(thread, 6 - left.get(thread)!.length));
          steps.push(...left.get(thread)!.shift()!);
        }
        expect(await noted('alternates', [...BOTH, ...steps])).toBe(names.join(' '));
      }),
      { numRuns: 10 },
    );
  });

  it('waits for deadheat where an atomic access is to come', async () => {
    const steps = [...BOTH, ...section(3, 'm'), '2 atomic', ...section(2, 'm')];
    const run = await scheduledRun(compiled('orders.c'), ['mutex'], steps, {
      meanwhile: async (file) => {
        await until(() => file.turn === steps.indexOf('2 atomic'));
        expect(file.thread(2)).toMatchObject({ done: 1, next: steps.indexOf('2 acquire m') });
        file.pass();
        await until(() => file.turn === steps.length);
        file.open();
      },
    });
    expect(run.stdout.trim()).toBe('b a');
  });

  it('works with C11 threads', async () => {
    const steps = [
      ...[...BOTH, '2 acquire m', '2 wait-begin c m', '3 acquire m', '3 wait-begin c m'],
      ...['1 acquire m', '1 broadcast c', '1 release m'],
      ...['3 wait-end c m', '3 release m', '2 wait-end c m', '2 release m', '1 join 2', '1 join 3'],
    ];
    expect(await noted('c11', steps)).toBe('b a');
  });

  it('decides between readers and writers', async () => {
    const reader = ['2 acquire-shared l', '2 release-shared l'];
    const writer = section(3, 'l');
    expect(await noted('rwlock', [...BOTH, ...reader, ...writer])).toBe('a b');
    expect(await noted('rwlock', [...BOTH, ...writer, ...reader])).toBe('b a');
  });

  it('decides who gets through a semaphore', async () => {
    const begin = [...BOTH, '1 post s'];
    const end = ['1 join 2', '1 join 3'];
    expect(
      await noted('semaphore', [...begin, '2 wait-done s', '1 post s', '3 wait-done s', ...end]),
    ).toMatch(/^[ab] [ab]$/);
    const run = await scheduledRun(
      compiled('orders.c'),
      ['semaphore'],
      [...begin, '3 wait-done s'],
      {
        meanwhile: async (file) => {
          // The first one to be let in has noted that, then comes to its end; the other is held.
          await until(() => file.thread(3)?.standing === 'ended');
          expect(file.thread(2)).toMatchObject({ standing: 'held', done: 1 });
          file.open();
        },
      },
    );
    expect(run.stdout.trim()).toBe('b a');
  });

  it('decides who leaves a barrier first', async () => {
    const arrive = [...BOTH, '2 arrive b', '3 arrive b'];
    for (const [first, second] of [
      [2, 3],
      [3, 2],
    ] as const) {
      const leave = [
        ...[`${first} leave b`, ...section(first, 'm')],
        ...[`${second} leave b`, ...section(second, 'm')],
      ];
      expect(await noted('barrier', [...arrive, ...leave])).toBe(first === 2 ? 'a b' : 'b a');
    }
  });

  it('decides who initialises', async () => {
    const begin = ['1 fork 2', '1 fork 3'];
    const once = (thread: number): string[] => [
      ...[`${thread} begin`, `${thread} once-begin o`, `${thread} once-end o`],
    ];
    const [a, b] = [once(2), once(3)];
    expect(await noted('once', [...begin, ...a, '3 begin', '3 once-pass o'])).toBe('a once b');
    expect(await noted('once', [...begin, ...b, '2 begin', '2 once-pass o'])).toBe('b once a');
  });

  it('has locks that are taken twice', async () => {
    const twice = (thread: number): string[] => [
      ...[`${thread} acquire m`, `${thread} acquire m`],
      ...[`${thread} release m`, `${thread} release m`],
    ];
    expect(await noted('recursive', [...BOTH, ...twice(2), ...twice(3)])).toBe('a a b b');
    expect(await noted('recursive', [...BOTH, ...twice(3), ...twice(2)])).toBe('b b a a');
  });

  it('has who tries a lock wait for its turn, too', async () => {
    const [a, b] = [section(2, 'm'), section(3, 'm')];
    expect(await noted('tries', [...BOTH, ...b, ...a])).toBe('b a');
  });

  it('lets pass a try that fails', async () => {
    const steps = ['1 acquire m', ...BOTH, ...section(3, 'n'), ...section(2, 'n')];
    const order = await noted('refused', steps);
    expect(order.replaceAll('refused ', '')).toBe('b a');
    expect(order.match(/refused/g)).toHaveLength(2);
  });

  it('has waits that end by their time limit', async () => {
    const lapse = (thread: number): string[] => [
      ...[`${thread} acquire m`, `${thread} wait-begin c m`],
      ...[`${thread} wait-end c m lapsed`, `${thread} release m`],
    ];
    const steps = [...BOTH, ...lapse(3), ...lapse(2)];
    expect(await noted('lapses', steps)).toBe('lapsed b lapsed a');
  });

  it('has threads that are cancelled while they wait', async () => {
    const begin = ['1 fork 2', '2 begin', '2 acquire m', '2 wait-begin c m'];
    const end = ['2 wait-end c m lapsed', '2 release m', '2 end', '1 join 2'];
    expect(await noted('cancel', [...begin, ...end])).toBe('cleanup joined');
    const steps = ['1 fork 2', '2 begin', '2 end', '1 join 2'];
    expect(await noted('cancel-semaphore', steps)).toBe('waits joined');
  });

  it('gives threads their numbers, whoever starts them first', async () => {
    const begin = ['1 fork 2', '1 fork 3', '2 begin', '3 begin'];
    const first = ['3 fork 5', '5 begin', ...section(5, 'm')];
    const second = ['2 fork 4', '4 begin', ...section(4, 'm')];
    expect(await noted('starts', [...begin, ...first, ...second])).toBe("b's a's");
    expect(await noted('starts', [...begin, ...second, ...first])).toBe("a's b's");
  });

  it('is not for the child of a fork', async () => {
    expect(await noted('fork', [...BOTH, ...section(3, 'm'), ...section(2, 'm')])).toBe('b a');
  });
});

describe('the recorded order', () => {
  it.each([
    ...['locks.c', 'waits.c', 'threads.c', 'c11.c', 'many.c'],
    ...['orders.c mutex', 'orders.c condition', 'orders.c starts', 'orders.c fork'],
    ...['orders.c cancel', 'orders.c cancel-semaphore'],
  ])('is followed to its end by %s', async (command) => {
    const [source, ...args] = command.split(' ');
    await recordedAndRun(source!, args);
  });

  it('is followed by C++ with its guards and exceptions', async () => {
    await recordedAndRun('guards.cpp', [], 'c++');
  });

  // The unwinder has more to do, and to lock, where there are clones.
  it('is followed if it was traced', async () => {
    await tracedAndRun('threads.c');
    await tracedAndRun('guards.cpp', 'c++');
    await tracedAndRun('shared.c');
  });
});

describe('a witness', () => {
  it('is followed: the racing threads have come where they race, and no further', async () => {
    const program = compiled('hidden.c', 'cc', '-pthread');
    const { trace } = traced(program);
    const events = Array.from({ length: trace.length }, (_, event) => event);
    const { variables } = trace.tables;
    const writes = events.filter(
      (event) =>
        trace.opAt(event) === Op.write && variables.cell(trace.targetAt(event), 'symbol') === 'y',
    );
    expect(writes).toHaveLength(2);
    const found = searchRace(trace, writes[0]!, writes[1]!, { sound: false, mostStates: 10_000 });
    if (found.kind !== 'race') throw new Error(found.kind);
    const { order, racing, recordedUntil } = found.witness;
    const toEvent = (event: number) => ({ event });
    const schedule = scheduleOf(trace, {
      ...{ recordedUntil, steps: order.map(toEvent) },
      racing: [toEvent(racing[0]), toEvent(racing[1])],
    });
    const run = await runSchedule(program, [], schedule, {
      meanwhile: async (file) => {
        await until(() => file.turn === schedule.steps.length);
        for (const { thread, steps } of schedule.sides) {
          expect(file.thread(thread!)).toMatchObject({ done: steps, next: undefined });
        }
        // Who writes y first has not had the lock.
        await until(() => file.thread(2)!.at !== undefined);
        expect(LOG_OP_NAMES[file.thread(2)!.at!.op]).toBe('acquire');
        expect(file.thread(2)!.at!.object).toBe(file.addressOf(0));
        file.open();
      },
    });
    expect(run.status).toBe(4);
    expect(run.progress.divergence).toBeUndefined();
  });
});

describe('a program that does something else', () => {
  const steps = [...BOTH, ...section(2, 'm'), ...section(3, 'm')];

  it('is let go, and what it did is noted', async () => {
    const run = await scheduledRun(compiled('orders.c'), ['other', 'yes'], steps);
    expect(run.status).toBe(5);
    expect(run.progress.open).toBe('diverged');
    const { divergence } = run.progress;
    expect(divergence).toMatchObject({ thread: 3, turn: steps.indexOf('3 acquire m') });
    expect(LOG_OP_NAMES[divergence!.op]).toBe('acquire');
    expect(divergence!.caller).toBeGreaterThan(0);
    expect(run.stdout.trim()).toMatch(/^a b$|^b a$/);
  });

  it('is let go if it takes a lock that it was not to get', async () => {
    const run = await scheduledRun(
      compiled('orders.c'),
      ['tries'],
      [...BOTH, '3 post s', '2 post s'],
    );
    expect(run.status).toBe(5);
    expect(run.progress.open).toBe('diverged');
    expect(LOG_OP_NAMES[run.progress.divergence!.op]).toBe('acquire');
  });
});

describe('threads that are held', () => {
  /** Both stand before their locks, and main before its first join. */
  const held = (options: ScheduledRunOptions) =>
    scheduledRun(compiled('orders.c'), ['mutex'], BOTH, options);
  const stand = (file: Parameters<NonNullable<ScheduledRunOptions['meanwhile']>>[0]) =>
    until(() => [1, 2, 3].every((thread) => file.thread(thread)?.standing === 'held'));

  it('say where they stand', async () => {
    const run = await held({
      meanwhile: async (file, { pid }) => {
        await stand(file);
        expect(file.threads().map(({ thread }) => thread)).toEqual([1, 2, 3]);
        const [main, first, second] = file.threads();
        expect(main!.tid).toBe(pid);
        expect(LOG_OP_NAMES[main!.at!.op]).toBe('join');
        expect(main!.at!.object).toBe(2);
        expect(LOG_OP_NAMES[first!.at!.op]).toBe('acquire');
        expect(first!.at).toEqual(second!.at);
        expect(first).toMatchObject({ done: 1, next: undefined, isFree: false });
        expect(existsSync(`/proc/${pid}/task/${second!.tid}`)).toBe(true);
        file.open();
      },
    });
    expect(run.status).toBe(5);
    expect(run.stdout.trim()).toMatch(/^a b$|^b a$/);
    expect(run.threads.slice(1).map(({ standing }) => standing)).toEqual(['ended', 'ended']);
    expect(readdirSync(run.folder).sort()).toEqual(['agent-channel', 'schedule']);
  });

  it('can be let go one by one', async () => {
    const run = await held({
      meanwhile: async (file) => {
        await stand(file);
        file.free(3);
        await until(() => file.thread(3)!.standing === 'ended');
        expect(file.thread(2)!.standing).toBe('held');
        file.open();
      },
    });
    expect(run.stdout.trim()).toBe('b a');
  });

  it('run their signal handlers', async () => {
    const run = await scheduledRun(compiled('orders.c'), ['signal'], BOTH, {
      meanwhile: async (file, { pid, output }) => {
        await stand(file);
        process.kill(pid, 'SIGUSR1');
        await until(() => output() === '!\n');
        expect(file.progress().open).toBeUndefined();
        file.open();
      },
    });
    expect(run.stdout.trim()).toMatch(/^!\nhandled (signalled b|b signalled)$/);
  });

  it('are interrupted by signals where they would be', async () => {
    const run = await scheduledRun(compiled('orders.c'), ['interrupted'], [], {
      meanwhile: async (file, { pid }) => {
        await until(() => file.thread(1)?.at !== undefined);
        expect(LOG_OP_NAMES[file.thread(1)!.at!.op]).toBe('wait-done');
        process.kill(pid, 'SIGUSR1');
        await until(() => LOG_OP_NAMES[file.thread(1)?.at?.op ?? 0] === 'acquire');
        file.open();
      },
    });
    expect(run.stdout.trim()).toBe('!\nhandled interrupted');
  });

  it('go on when deadheat is gone', async () => {
    const deadheat = spawn('sleep', ['1000'], { stdio: 'ignore' });
    onTestFinished(() => void deadheat.kill('SIGKILL'));
    const run = await held({
      meanwhile: async (file, { folder }) => {
        await until(() => file.thread(1) !== undefined);
        const path = join(folder, 'schedule');
        const bytes = readFileSync(path);
        bytes.writeUInt32LE(deadheat.pid!, ScheduleAt.pid);
        writeFileSync(path, bytes.subarray(0, 16), { flag: 'r+' });
        await stand(file);
        expect(file.progress().open).toBeUndefined();
        deadheat.kill('SIGKILL');
      },
    });
    expect(run.status).toBe(5);
    expect(run.progress.open).toBe('orphaned');
  });

  it('go on when the time is over', async () => {
    const deadline = process.hrtime.bigint() + 300_000_000n;
    const run = await held({ deadline, meanwhile: async () => {} });
    expect(run.status).toBe(5);
    expect(run.progress.open).toBe('late');
    expect(process.hrtime.bigint()).toBeGreaterThan(deadline);
  });
});

describe('without a schedule', () => {
  it('for its process, a program runs as it does', async () => {
    const run = await scheduledRun(compiled('orders.c'), ['mutex'], BOTH, {
      process: 2,
      meanwhile: async () => {},
    });
    expect(run.status).toBe(5);
    expect(run.progress).toEqual({ turn: 0, open: undefined, divergence: undefined });
    const { DH_OPTION_SCHEDULE } = AgentOption;
    const without = agentRun(compiled('orders.c'), ['mutex'], { options: DH_OPTION_SCHEDULE });
    expect(without.status).toBe(5);
    expect(without.names).toEqual([]);
    expect(existsSync(join(without.folder, 'schedule'))).toBe(false);
  });
});
