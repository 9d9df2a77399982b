import { describe, expect, it } from 'vitest';
import { NONE, Op } from '../model/op.ts';
import { ThreadTrace } from '../model/trace.ts';
import { type PrintOptions, printTrace } from './print.ts';
import { describeStatistics, statisticsOf } from './statistics.ts';

function example(): ThreadTrace {
  const trace = new ThreadTrace();
  const { modules, skipped, threads, locks, allocations, variables, sites } = trace.tables;
  modules.add({ path: '/home/me/queue', buildId: 'ab', functionsTraced: 42 });
  skipped.add({ module: 0, reason: 'jumps into its middle', functions: 1 });
  for (const name of ['main', 'worker', 'worker', '']) threads.add({ name, process: 1, tid: 1 });
  locks.add({ kind: 'mutex', address: 0x4040, symbol: 'queue.mutex' });
  locks.add({ kind: 'semaphore', address: 0x5050, symbol: '' });
  allocations.add({ address: 0x7f00, size: 64 });
  variables.add({ address: 0x4060, size: 4, allocation: NONE, symbol: 'counter' });
  variables.add({ address: 0x7f10, size: 1, allocation: 0, symbol: '' });
  sites.add({ module: 0, address: 0x1a, function: 'push', file: 'queue.c', line: 14 });
  sites.add({ module: 0, address: 0x1b, function: '', file: '', line: 0 });
  sites.add({ module: NONE, address: 17, function: '', file: '', line: 0 });
  trace.append(0, Op.fork, 1, 0);
  trace.append(1, Op.acquire, 0, 0);
  trace.append(1, Op.write, 0, 1);
  trace.append(2, Op.atomicUpdate, 0, 2);
  trace.append(2, Op.read, 1, NONE);
  trace.append(3, Op.post, 1, 0);
  trace.append(0, Op.allocate, 0, 0);
  return trace;
}

function printed(options: PrintOptions = {}): string[] {
  let text = '';
  printTrace(example(), options, (some) => {
    text += some;
  });
  return text.trimEnd().split('\n');
}

describe('a printed trace', () => {
  it('names threads, variables, locks and places as well as they are known', () => {
    expect(printed().map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['1', 'main', 'fork', 'worker#1', 'queue.c:14 in push'],
      ['2', 'worker#1', 'acquire', 'queue.mutex', 'queue.c:14 in push'],
      ['3', 'worker#1', 'write', 'counter', 'queue+0x1b'],
      ['4', 'worker#2', 'atomic-update', 'counter', 'place 17'],
      ['5', 'worker#2', 'read', '1 byte at 0x7f10'],
      ['6', 'T3', 'post', 'semaphore 0x5050', 'queue.c:14 in push'],
      ['7', 'main', 'allocate', '64 bytes at 0x7f00', 'queue.c:14 in push'],
    ]);
  });

  it.each([
    [{ from: 3, to: 5 }, [3, 4, 5]],
    [{ from: 6 }, [6, 7]],
    [{ to: 1 }, [1]],
    [{ threads: ['worker'] }, [2, 3, 4, 5]],
    [{ threads: ['worker#2', 'T3'] }, [4, 5, 6]],
    [{ threads: ['main'], from: 2 }, [7]],
  ])('can be cut down: %j', (options, numbers) => {
    expect(printed(options).map((line) => Number(line.trim().split(' ')[0]))).toEqual(numbers);
  });

  it('does not take a thread that is not there', () => {
    expect(() => printed({ threads: ['wroker'] })).toThrow(
      /no thread 'wroker'; the nearest are worker#1/,
    );
  });

  it('can be cut down far from its beginning', () => {
    const long = example();
    for (let i = 0; i < 200_000; i++) long.append(0, Op.read, 0, NONE);
    let text = '';
    printTrace(long, { from: 150_000, to: 150_001 }, (some) => {
      text += some;
    });
    expect(text.match(/^ *\d+/gm)?.map(Number)).toEqual([150_000, 150_001]);
  });
});

it('statistics count what is there', () => {
  const statistics = statisticsOf(example());
  expect(statistics).toMatchObject({ events: 7, accesses: 3, sharedVariables: 1 });
  const text = describeStatistics(statistics, 300);
  for (const line of [
    /^threads +4$/m,
    /^ {2}worker#1 +2 events$/m,
    /^locks +2$/m,
    /^ {2}semaphore +1$/m,
    /^variables +2, 1 of them shared$/m,
    /^events +7$/m,
    /^ {2}atomic-update +1$/m,
    /^bytes +300, 100.00 an access$/m,
    /^functions +42 of 43 traced in \/home\/me\/queue$/m,
    /^ {2}1 skipped: jumps into its middle$/m,
  ]) {
    expect(text).toMatch(line);
  }
  expect(text).not.toMatch(/barrier|broadcast/);
});
