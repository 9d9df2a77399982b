import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { buildTimeline } from '../../detect/timeline.ts';
import { Script } from '../../testdata/records.ts';
import { recordedAnswers, type TaskAnswers } from './recorded-answers.ts';

const answersIn = (records: readonly TraceRecord[]): TaskAnswers =>
  recordedAnswers(records, buildTimeline(records, '/').steps)!;

const at = (seconds: number, fraction: number): string => {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64LE(BigInt(seconds), 0);
  bytes.writeBigInt64LE(BigInt(fraction), 8);
  return decodeBytes(bytes);
};

describe('what the kernel made up', () => {
  it('is kept for each program, by its place in the family', () => {
    const { records } = new Script()
      .call(1, 'getrandom', undefined, { result: 2, data: 'ab' })
      .fork(1, 2)
      .call(2, 'getrandom', undefined, { result: 2, data: 'cd' })
      .exec(2, 'date')
      .call(2, 'clock_gettime', undefined, { args: [0], data: at(5, 7) })
      .call(2, 'gettimeofday', undefined, { data: at(6, 8) })
      .call(2, 'time', undefined, { result: 9 })
      .call(2, 'clock_gettime', undefined, { args: [1], data: at(4, 0) })
      .call(2, 'time', undefined, { result: -14 })
      .exit(2)
      .exit(1);
    const root = answersIn(records);
    expect(root.programs.flatMap(({ random }) => random.map(String))).toEqual(['ab']);
    const [shell, date] = root.children[0]!.programs;
    expect(shell!.random.map(String)).toEqual(['cd']);
    expect(date).toMatchObject({ random: [], repeatsTime: true });
    expect(date!.times).toEqual(
      new Map([
        [0, [5_000_000_007n, 6_000_008_000n, 9_000_000_000n]],
        [1, [4_000_000_000n]],
      ]),
    );
  });

  it('has what devices gave to calls that it can be given to again, and to no others', () => {
    const { records } = new Script()
      .call(1, 'readv', undefined, { result: 2 })
      .call(1, 'read', undefined, { result: 2 })
      .exit(1);
    const given = records.flatMap((record): TraceRecord[] => {
      if (record.kind !== 'call') return [record];
      const { tid, entry: sequence, enteredAt: time } = record;
      return [
        { kind: 'random', tid, sequence, time, data: `${syscallName(record.number)}` },
        record,
      ];
    });
    const programs = answersIn(given).programs;
    expect(programs.flatMap(({ devices }) => devices.map(String))).toEqual(['read']);
  });

  it('does not include the time for who compares it to that of files the run has written', () => {
    const looking = (path: string): boolean => {
      const { records } = new Script()
        .fork(1, 2)
        .write(2, '/out')
        .call(1, 'time', undefined, { result: 9 })
        .call(1, 'stat', path)
        .exit(2)
        .exit(1);
      return answersIn(records).programs.at(-1)!.repeatsTime;
    };
    expect(looking('/out')).toBe(false);
    expect(looking('/other')).toBe(true);
  });
});
