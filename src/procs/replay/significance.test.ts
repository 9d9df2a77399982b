import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { contestedLocations } from '../detect/load-store/state.ts';
import { buildTimeline } from '../detect/timeline.ts';
import { conflict, overlap, PARTS } from '../model/operation.ts';
import { choices, recordingOf } from '../testdata/random-recording.ts';
import { pipe, Script, SOME_FILE, words } from '../testdata/records.ts';
import { insignificantNumbers, significantCalls } from './significance.ts';

describe('steps that need no place in the order', () => {
  it('are in conflict with nothing that another process does at the same time', () => {
    let significant = 0;
    let insignificant = 0;
    fc.assert(
      fc.property(choices, fc.boolean(), (list, overlapping) => {
        const timeline = buildTimeline(recordingOf(list, overlapping), '/');
        const needed = significantCalls(timeline);
        const calls = timeline.steps.flatMap(({ record }) =>
          record.kind === 'call' ? record : [],
        );
        significant += needed.size;
        insignificant += calls.length - needed.size;
        for (const location of contestedLocations(timeline.steps, PARTS)) {
          for (const [index, late] of location.entries()) {
            for (const early of location.slice(0, index)) {
              const matters =
                timeline.graph.concurrent(early.step.event, late.step.event) &&
                overlap(early.operation.range, late.operation.range) &&
                conflict(early.operation, late.operation);
              if (!matters) continue;
              for (const { step } of [early, late]) {
                const { record } = step;
                if (record.kind === 'call') expect([...needed]).toContain(record);
              }
            }
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(Math.min(significant, insignificant)).toBeGreaterThan(500);
  });
});

describe('steps that do need one', () => {
  const needed = ({ records }: Script): string[] =>
    [...significantCalls(buildTimeline(records, '/'))].map(
      ({ tid, number }) => `${tid} ${syscallName(number)}`,
    );
  const two = (): Script => new Script().fork(1, 2).fork(1, 3);

  it('are those that race, and not those that nobody else touches', () => {
    const script = two().call(2, 'mkdir', '/a').call(2, 'mkdir', '/own').call(3, 'stat', '/a');
    expect(needed(script).sort()).toEqual(['2 mkdir', '3 stat']);
    expect(needed(two().call(2, 'stat', '/a').call(3, 'stat', '/a'))).toEqual([]);
  });

  it('are waits, and what goes through pipes', () => {
    const script = new Script().makePipe(1, 7).fork(1, 2).send(2, 7).receive(1, 7).exit(2);
    expect(needed(script.wait(1, 2)).sort()).toEqual(['1 pipe2', '1 read', '1 wait4', '2 write']);
  });

  it('are closing pipes and locking files, but not closing files', () => {
    const of = (name: string, file: typeof SOME_FILE, args: number[] = []): string[] =>
      needed(new Script().call(1, name, undefined, { file, args }));
    expect(of('close', SOME_FILE)).toEqual([]);
    expect(of('close', pipe(7))).toEqual(['1 close']);
    expect(of('dup2', SOME_FILE)).toEqual([]);
    const [F_GETFD, F_SETLKW] = [1, 7];
    expect(of('fcntl', SOME_FILE, [3, F_GETFD])).toEqual([]);
    expect(of('fcntl', SOME_FILE, [3, F_SETLKW])).toEqual(['1 fcntl']);
    expect(of('flock', SOME_FILE)).toEqual(['1 flock']);
  });

  it('are those that a signal came after, but not one that came in another call', () => {
    const looked = (): Script => new Script().fork(1, 2).call(1, 'stat', '/a').kill(2, 1);
    expect(needed(looked().signal(2, 1))).toContain('1 stat');
    expect(needed(looked().signal(2, 1, 10, 'interrupting'))).not.toContain('1 stat');
  });

  it('are setting up handlers only where signals come', () => {
    const handler = { args: [10], data: words(8, 1) };
    const alone = new Script().fork(1, 2).call(2, 'rt_sigaction', undefined, handler);
    expect(needed(alone)).toEqual([]);
    const signalled = new Script().fork(1, 2).call(2, 'rt_sigaction', undefined, handler);
    expect(needed(signalled.kill(1, 2).signal(1, 2))).toContain('2 rt_sigaction');
    const another = new Script().fork(1, 2).call(2, 'rt_sigaction', undefined, handler);
    another.call(2, 'stat', '/a').kill(1, 2, 12).signal(1, 2, 12);
    expect(needed(another)).not.toContain('2 rt_sigaction');
  });
});

it('calls are left out by number if none of that number is needed', () => {
  const { records } = new Script()
    .call(1, 'stat', '/a')
    .call(1, 'mkdir', '/b')
    .call(1, 'stat', '/');
  const calls = records.filter((record): record is CallRecord => record.kind === 'call');
  const [first, mkdir] = calls as [CallRecord, CallRecord];
  expect([...insignificantNumbers(calls, new Set([mkdir]))]).toEqual([first.number]);
  expect([...insignificantNumbers(calls, new Set([first]))]).toEqual([mkdir.number]);
});
