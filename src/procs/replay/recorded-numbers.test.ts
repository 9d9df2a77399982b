import { describe, expect, it } from 'vitest';
import type { ProcessNumbering } from '../../linux/sandbox/process-numbering.ts';
import { Script } from '../testdata/records.ts';
import { RecordedNumbers } from './recorded-numbers.ts';
import { buildScript } from './script.ts';

/** Which numbers are asked for when these tasks are started, in this order; the kernel counts the rest. */
function asked({ records }: Script, ...tids: readonly number[]): number[] {
  const { root, tasks } = buildScript(records)!;
  const numbers: number[] = [];
  const numbering = { setNext: (number: number) => numbers.push(number) };
  const recorded = new RecordedNumbers(numbering as unknown as ProcessNumbering, root);
  for (const tid of tids) recorded.expect(tasks.find(({ start }) => start.tid === tid)!);
  return numbers;
}

describe('the numbers of processes', () => {
  const three = (): Script => new Script(3).fork(3, 4).fork(3, 5).fork(3, 6);

  it('come by themselves in the recorded order', () => {
    expect(asked(three(), 4, 5, 6)).toEqual([]);
  });

  it('are asked for where somebody is left out, or comes in another order', () => {
    expect(asked(three(), 5, 6)).toEqual([5]);
    expect(asked(three(), 6, 4, 5)).toEqual([6, 4]);
  });

  it('are taken by threads, too', () => {
    const threads = new Script(3).thread(3, 4).fork(3, 5);
    expect(asked(threads, 4, 5)).toEqual([]);
    expect(asked(threads, 5)).toEqual([5]);
  });

  it('are those that the program itself knows', () => {
    const { records } = three();
    const inside = records.map((record) =>
      record.kind === 'start' ? { ...record, ownPid: record.pid - 1 } : record,
    );
    const script = new Script(3);
    script.records.splice(0, script.records.length, ...(inside as typeof records));
    expect(asked(script, 6)).toEqual([5]);
  });
});
