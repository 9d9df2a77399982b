import { describe, expect, it } from 'vitest';
import { reportSchema } from '../report/model.ts';
import type { RunInfo } from '../trace/run-info.ts';
import type { Analysis } from './analyse/analyse.ts';
import { oddsSoFar } from './odds.ts';
import { buildReport, outlook } from './report.ts';
import type { SampledInfo } from './sampled-info.ts';

const SAMPLED: SampledInfo = {
  ...{ schema: 1, version: '0.1.0', command: ['./server'], stacks: false, dormant: false },
  machine: { name: 'web-1', kernel: '6.1', processors: 2 },
  event: { kind: 'timer', period: 4_000_000, why: 'there is nothing else' },
  startedAt: '2026-11-15T21:15:00.000Z',
};

const INFO: RunInfo = {
  ...{ schema: 1, version: '0.1.0', engine: 'sample', command: ['./server'], cwd: '/' },
  ...{ startedAt: '2026-11-15T21:15:00.000Z', state: 'complete', exit: { code: 7 } },
};

const analysis = (interrupts: number, mostThreads: number): Analysis => ({
  races: [],
  warnings: ['the log 1-2.log is cut off'],
  stats: {
    ...{
      runs: 1,
      processes: 2,
      threads: 2 * mostThreads,
      mostThreads,
      processorSeconds: 10,
      interrupts,
      pairs: 0,
    },
    samples: {
      samples: interrupts,
      uncertain: 0,
      silent: 0,
      ownAccesses: 0,
      accesses: 0,
      followed: 0,
    },
    ...{ gainOfExtension: 4, accessesPerInterrupt: 4, sharedAccesses: 0 },
    ...{ unknownTimes: 0, unknownBlocks: 0, odds: oddsSoFar(10_000, 10) },
  },
});

describe('the report of samples', () => {
  it('is one as all engines have', () => {
    const run = { name: 'sample-1', info: INFO };
    const report = buildReport([{ run, sampled: SAMPLED }], '0.1.0', analysis(500, 4));
    expect(reportSchema.parse(report)).toMatchObject({
      ...{ engine: 'sample', run: 'sample-1', command: ['./server'], exit: { code: 7 } },
      warnings: ['the log 1-2.log is cut off'],
    });
  });

  it('of several runs names them all', () => {
    const runs = ['sample-1', 'web-2/sample-1'].map((name) => ({
      run: { name, info: INFO },
      sampled: SAMPLED,
    }));
    const report = buildReport([runs[0]!, ...runs.slice(1)], '0.1.0', analysis(500, 4));
    expect(report.run).toBe('sample-1, web-2/sample-1');
    expect(report.exit).toBeUndefined();
  });

  it.each([
    [0, 4, 'complete', /there are no samples/],
    [500, 1, 'complete', /of only one thread of each process there are samples/],
    [500, 4, 'recording', /still being sampled, or deadheat was killed/],
  ] as const)(
    'says what weakens it: %d samples of %d threads, %s',
    (samples, threads, state, text) => {
      const run = { name: 'sample-1', info: { ...INFO, state } };
      const { warnings, remarks } = buildReport(
        [{ run, sampled: SAMPLED }],
        '0.1.0',
        analysis(samples, threads),
      );
      expect(warnings?.join()).toMatch(text);
      expect(remarks === undefined).toBe(threads < 2);
    },
  );
});

it('the odds are told of the rarest race that is likely to be found, and of the next one', () => {
  const [sure, open, ...more] = outlook(oddsSoFar(20_000, 100));
  expect(sure).toMatch(
    /^a race with each side in 1 of 1,000 accesses would most likely have been found by now \(9\d%\)$/,
  );
  expect(open).toMatch(
    /^a race with each side in 1 of 10,000 accesses would have been found with \d+%; another \d+ (s|min|h) of processor time would make it 95%$/,
  );
  expect(more).toEqual([]);
  expect(outlook(oddsSoFar(0, 0))).toEqual([]);
});
