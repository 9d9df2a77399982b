import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { MADE_UP_CALLS } from '../model/made-up-calls.ts';
import { Script } from '../testdata/records.ts';
import { shownRecord } from './mismatch.ts';
import { buildScript, type Item } from './script.ts';

const shown = ({ task, record }: Item): string => `${task.start.tid} ${shownRecord(record)}`;
const itemsOf = (records: readonly TraceRecord[]): string[] =>
  buildScript(records)!.items.map(shown);

/** So many events earlier, before which it began. */
const entered = (records: readonly TraceRecord[], name: string, earlier: number): TraceRecord[] =>
  records.map((record) =>
    record.kind === 'call' && record.path === name
      ? { ...record, entry: record.entry - earlier }
      : record,
  );

describe('a script', () => {
  it('has what each task did, in its own order, and turns over all', () => {
    const { records } = new Script()
      .fork(1, 2)
      .call(2, 'mkdir', '/a')
      .call(1, 'mkdir', '/b')
      .exit(2)
      .wait(1, 2);
    const script = buildScript(records)!;
    expect(script.items.map(shown)).toEqual([
      ...['1 a fork', '2 mkdir("/a")', '1 mkdir("/b")', '2 its end', '1 wait4()'],
    ]);
    expect(script.items.map(({ turn }) => turn)).toEqual([0, 1, 2, 3, 4]);
    expect(script.tasks.map(({ items }) => items.map(({ turn }) => turn))).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
    expect(script.root).toBe(script.tasks[0]);
    expect(script.items[0]!.child).toBe(script.tasks[1]);
  });

  it('gives a number that is used again to the latest task of that number', () => {
    const { records } = new Script()
      .fork(1, 2)
      .call(2, 'mkdir', '/a')
      .exit(2)
      .wait(1, 2)
      .fork(1, 2)
      .call(2, 'mkdir', '/b')
      .exit(2);
    const { tasks } = buildScript(records)!;
    expect(tasks.map(({ items }) => items.map(shown))).toEqual([
      ['1 a fork', '1 wait4()', '1 a fork'],
      ['2 mkdir("/a")', '2 its end'],
      ['2 mkdir("/b")', '2 its end'],
    ]);
  });

  it('counts threads as tasks of their own', () => {
    const { records } = new Script().thread(1, 2).call(2, 'mkdir', '/a').exit(2);
    expect(itemsOf(records)).toEqual(['1 the start of a thread', '2 mkdir("/a")', '2 its end']);
  });

  it('takes calls by their ends, but those that let others go on by their beginnings', () => {
    const { records } = new Script().fork(1, 2).call(1, 'mkdir', '/a').call(2, 'mkdir', '/b');
    expect(itemsOf(entered(records, '/b', 3)).slice(1)).toEqual(['1 mkdir("/a")', '2 mkdir("/b")']);
    const exec = new Script().fork(1, 2).call(1, 'mkdir', '/a').call(2, 'execve', '/b');
    expect(itemsOf(entered(exec.records, '/b', 3)).slice(1)).toEqual([
      ...['2 execve("/b")', '1 mkdir("/a")'],
    ]);
    const kill = new Script().fork(1, 2).call(1, 'mkdir', '/a').kill(2, 1);
    const early = kill.records.map((record) =>
      record.kind === 'call' && record.tid === 2 ? { ...record, entry: record.entry - 3 } : record,
    );
    expect(itemsOf(early).slice(1)).toEqual(['2 kill()', '1 mkdir("/a")']);
  });

  it('has signals where they arrived, not where they were sent', () => {
    const { records } = new Script().fork(1, 2).kill(1, 2).signal(1, 2);
    const [sent] = records.filter(({ kind }) => kind === 'signal');
    const both = [...records, { ...sent!, phase: 'sent' } as TraceRecord];
    expect(itemsOf(both)).toEqual(['1 a fork', '1 kill()', '2 the arrival of SIGUSR1']);
  });

  it('leaves out calls of which none is significant, and marks the others', () => {
    const { records } = new Script()
      .call(1, 'stat', '/a')
      .call(1, 'mkdir', '/b')
      .call(1, 'mkdir', '/c')
      .exit(1);
    const significant = new Set(
      records.filter((record): record is CallRecord => 'path' in record && record.path === '/c'),
    );
    const script = buildScript(records, significant)!;
    expect(script.items.map((item) => [shown(item), item.isSignificant])).toEqual([
      ['1 mkdir("/b")', false],
      ['1 mkdir("/c")', true],
      ['1 its end', true],
    ]);
    expect(script.leftOut).toEqual(new Set([4, ...MADE_UP_CALLS]));
  });

  it('is none of a recording without tasks', () => {
    expect(buildScript([])).toBe(undefined);
  });
});
