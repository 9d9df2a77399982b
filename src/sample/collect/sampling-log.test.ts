import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogOp, SampledKind } from '../../linux/agent-protocol.ts';
import { readSamplingLog, type SamplingLog } from './sampling-log.ts';
import { WrittenSamplingLog } from './testdata/written-sampling-log.ts';

const SAMPLE_WORDS = 19;
/** Before it, none of the clocks was started. */
const START = 2 ** 50;

function logOf(bytes: Buffer): SamplingLog {
  const log = readSamplingLog(bytes);
  if (!log.ok) throw new Error(log.error);
  return log.value;
}

/** The times of all records, with `|` before those that come after a gap. */
function timesOf(log: SamplingLog): string[] {
  const times: string[] = [];
  while (log.next()) times.push(`${log.isAfterGap ? '|' : ''}${log.time - START}`);
  return times;
}

function written(samples: number): WrittenSamplingLog {
  const log = new WrittenSamplingLog(1, 2, 'worker');
  for (let i = 1; i <= samples; i++)
    log.sample({ time: START + i, place: 0x401000, registers: [] });
  return log;
}

describe('the log of a sampled thread', () => {
  it('is read as it was written', () => {
    const one = new WrittenSamplingLog(3, 4, 'worker');
    one.base(0x7f00_0000_0740, 0, 0x7f00_0000_0000, 0x7f00_0080_0000);
    one.clock(1000, 2000, 300);
    one.sample({
      ...{ time: 2 ** 50 + 1, place: 0x5555_5555_1000, flags: 5 },
      registers: [-8, 0x7fff_ffff_f000, 3],
      locks: [0x6000, 0x7001],
      stack: [0x401234],
    });
    one.memory(2 ** 50 + 2, [
      { address: 0x5000, size: 100 },
      { address: 0x7f12_3456_7890, size: undefined },
      { address: 0x9000, size: 2 ** 30 + 1 },
    ]);
    one.sync(LogOp.DH_OP_POST, 2 ** 50 + 3, 0x8000_1234_5678_9abcn, -1);
    one.switched(2 ** 50 + 4, true);
    const log = logOf(one.bytes());
    expect(log.header).toMatchObject({ process: 3, thread: 4, name: 'worker' });
    log.next();
    expect([log.kind, log.fsBase, log.stackStart, log.stackEnd]).toEqual([
      ...[SampledKind.DH_SAMPLED_BASE, 0x7f00_0000_0740, 0x7f00_0000_0000, 0x7f00_0080_0000],
    ]);
    log.next();
    expect([log.time, log.nanoseconds, log.processorNanoseconds]).toEqual([1000, 2000, 300]);
    log.next();
    expect([log.time, log.place, log.flags]).toEqual([2 ** 50 + 1, 0x5555_5555_1000, 5]);
    expect([0, 1, 2, 3].map((n) => log.register(n))).toEqual([-8, 0x7fff_ffff_f000, 3, 0]);
    expect([log.locks, log.lock(0), log.lock(1)]).toEqual([2, 0x6000, 0x7001]);
    expect([log.stackWords, log.returnAddress(0)]).toEqual([1, 0x401234]);
    log.next();
    const blocks = [0, 1, 2].map((n) => [log.blockAddress(n), log.isFreed(n), log.blockSize(n)]);
    expect([log.blocks, blocks]).toEqual([
      3,
      [
        [0x5000, false, 112],
        [0x7f12_3456_7890, true, 0],
        [0x9000, false, 2 ** 30 + 65536],
      ],
    ]);
    log.next();
    expect([log.op, log.object, log.extra]).toEqual([
      ...[LogOp.DH_OP_POST, 0x8000_1234_5678_9abcn, -1],
    ]);
    log.next();
    expect([log.kind, log.time, log.flags]).toEqual([
      ...[SampledKind.DH_SAMPLED_SWITCH, 2 ** 50 + 4, 1],
    ]);
    expect(log.next()).toBe(false);
    expect([log.isCut, log.damagedWords]).toEqual([false, 0]);
  });

  it('goes on in the window where the file ends', () => {
    const log = written(10);
    log.appended = 4 * SAMPLE_WORDS;
    expect(timesOf(logOf(log.bytes()))).toHaveLength(10);
  });

  it('that was cut off is read as far as it goes, and says so', () => {
    const one = written(10);
    one.appended = 10 * SAMPLE_WORDS;
    const bytes = one.bytes();
    const log = logOf(bytes.subarray(0, bytes.length - 3 * SAMPLE_WORDS * 8 - 8));
    expect(timesOf(log)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(log.isCut).toBe(true);
  });

  it('with damaged words goes on behind them', () => {
    const one = written(10);
    one.overwrite(3 * SAMPLE_WORDS, 0xdeadn);
    const log = logOf(one.bytes());
    expect(timesOf(log)).toEqual(['1', '2', '3', '|5', '6', '7', '8', '9', '10']);
    expect([log.gaps, log.damagedWords, log.isCut]).toEqual([1, SAMPLE_WORDS, false]);
  });

  it('never takes damage for records that were not there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(10 * SAMPLE_WORDS - 1), fc.bigInt(0n, 2n ** 64n - 1n))),
        (changes) => {
          const one = written(10);
          // Heads alone: what else is changed is another value, not another record.
          const heads = changes.map(
            ([word, value]) => [word - (word % SAMPLE_WORDS), value] as const,
          );
          for (const [word, value] of heads) one.overwrite(word, value | 0x80n);
          const hit = new Set(heads.map(([word]) => word / SAMPLE_WORDS + 1));
          const times = timesOf(logOf(one.bytes())).map((time) => Number(time.replace('|', '')));
          expect(times.filter((time) => hit.has(time) || time > 10)).toEqual([]);
        },
      ),
    );
  });
});
