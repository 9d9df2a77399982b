import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/records/record.ts';
import { Script } from '../testdata/records.ts';
import { Ending } from './ending.ts';

function ending(records: readonly TraceRecord[]): Ending {
  const noted = new Ending();
  for (const record of records) noted.note(record);
  return noted;
}

const SEGV = 11;
/** A raw wait status with a signal in its lowest bits. */
const killed = (records: readonly TraceRecord[], task: number, status = SEGV): TraceRecord[] =>
  records.map((record) =>
    record.kind === 'exit' && record.tid === task ? { ...record, status } : record,
  );

describe('how processes ended', () => {
  const run = new Script().fork(1, 2).exec(2, 'worker').exit(2).exit(1);

  it('well', () => {
    const { deaths, leftovers } = ending(run.records);
    expect({ deaths, leftovers }).toEqual({ deaths: [], leftovers: [] });
  });

  it('by a signal, under the name of the program that ran last', () => {
    const { deaths } = ending(killed(run.records, 2));
    expect(deaths).toEqual([{ program: 'worker', signal: SEGV }]);
    const withCore = ending(killed(run.records, 2, SEGV | 0x80));
    expect(withCore.deaths).toEqual([{ program: 'worker', signal: SEGV }]);
  });

  it("under the parent's name, if it ran nothing of its own", () => {
    const forked = new Script().fork(1, 2).exit(2).exit(1);
    expect(ending(killed(forked.records, 2)).deaths).toEqual([{ program: 'root', signal: SEGV }]);
  });

  it('once a process, not once a thread', () => {
    const threads = new Script().thread(1, 2).exit(2).exit(1);
    const { deaths } = ending(killed(killed(threads.records, 2), 1));
    expect(deaths).toHaveLength(1);
  });
});

describe('what was left over', () => {
  it('are the processes that were running when the command itself ended', () => {
    const run = new Script().fork(1, 2).exec(2, 'daemon').fork(1, 3).exec(3, 'other').exit(3);
    expect(ending(run.exit(1).records).leftovers).toEqual(['daemon']);
    expect(ending(run.exit(2).records).leftovers).toEqual(['daemon']);
  });

  it('are no threads', () => {
    const run = new Script().thread(1, 2).exit(1).exit(2);
    expect(ending(run.records).leftovers).toEqual([]);
  });

  it('is nothing if it ended before', () => {
    const run = new Script().fork(1, 2).exec(2, 'early').exit(2).exit(1);
    expect(ending(run.records).leftovers).toEqual([]);
  });
});
