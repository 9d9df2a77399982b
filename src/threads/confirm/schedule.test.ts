import { describe, expect, it } from 'vitest';
import { LOG_OP_NAMES } from '../../linux/agent-log.ts';
import { NONE, opNames } from '../model/op.ts';
import { ThreadTrace } from '../model/trace.ts';
import { type Schedule, scheduleOf, type WitnessOrder } from './schedule.ts';

/** `'T2 acquire 0'`: thread row 2. A place of `-` is none; otherwise each event has its own. */
function traceOf(lines: readonly string[], processes: readonly number[] = [7, 7, 7]): ThreadTrace {
  const trace = new ThreadTrace();
  for (const process of processes) trace.tables.threads.add({ name: '', process, tid: process });
  for (const [i, line] of lines.entries()) {
    const [thread, name, target, site] = line.split(' ');
    const place = site === undefined ? i : site === '-' ? NONE : Number(site);
    trace.append(Number(thread!.slice(1)), opNames.indexOf(name!), Number(target), place);
  }
  return trace;
}

const order = (steps: number[], racing: [number, number], recordedUntil = 0): WitnessOrder => ({
  recordedUntil,
  steps: steps.map((event) => ({ event })),
  racing: [{ event: racing[0] }, { event: racing[1] }],
});

/** `2 acquire 0 mutex 1`: thread 2, object 0. */
const told = ({ steps }: Schedule): string[] =>
  steps.map(({ thread, op, object, mutex, isLapsed, isOptional }) =>
    [
      ...[thread, LOG_OP_NAMES[op], object],
      ...[mutex === undefined ? undefined : `with ${mutex}`],
      ...[isLapsed ? 'lapsed' : undefined, isOptional ? 'optional' : undefined],
    ]
      .filter((word) => word !== undefined)
      .join(' '),
  );

const FORKS = ['T0 begin 0', 'T0 fork 1', 'T0 fork 2', 'T1 begin 1', 'T2 begin 2'];

describe('a schedule', () => {
  it('has the steps of the witness, and no others', () => {
    const trace = traceOf([
      ...[...FORKS, 'T1 write 0', 'T1 acquire 5', 'T1 release 5'],
      ...['T2 acquire 5', 'T2 release 5', 'T2 write 0'],
    ]);
    const schedule = scheduleOf(trace, order([1, 2, 3, 4, 8, 9], [5, 10]));
    expect(told(schedule)).toEqual([
      ...['1 fork 2', '1 fork 3', '2 begin', '3 begin', '3 acquire 0', '3 release 0'],
    ]);
    expect(schedule).toMatchObject({
      ...{ process: 1, threads: 3, objects: 1, locks: [5], racing: [2, 3] },
      sides: [
        { event: 5, thread: 2, steps: 1 },
        { event: 10, thread: 3, steps: 3 },
      ],
    });
    expect(schedule.steps.map(({ event }) => event)).toEqual([1, 2, 3, 4, 8, 9]);
  });

  it('begins with what comes before the window, as recorded', () => {
    const trace = traceOf([...FORKS, 'T1 acquire 0', 'T1 release 0', 'T2 write 0', 'T1 write 0']);
    expect(told(scheduleOf(trace, order([3, 5], [7, 8], 3)))).toEqual([
      ...['1 fork 2', '1 fork 3', '2 begin', '2 acquire 0', '3 begin', '2 release 0'],
    ]);
  });

  it('makes one step of the two events of a wait', () => {
    const trace = traceOf([
      ...[...FORKS, 'T1 acquire 4', 'T1 wait-begin 9', 'T1 release 4'],
      ...['T2 acquire 4', 'T2 signal 9', 'T2 release 4', 'T1 acquire 4', 'T1 wait-end 9'],
      ...['T2 write 0', 'T1 write 0'],
    ]);
    const [forks, steps] = [
      [1, 2, 3, 4],
      [5, 6, 7, 8, 9, 10, 11, 12],
    ];
    const begin = ['1 fork 2', '1 fork 3', '2 begin', '3 begin', '2 acquire 0'];
    const end = ['3 acquire 0', '3 signal 1', '3 release 0', '2 wait-end 1 with 0'];
    expect(told(scheduleOf(trace, order([...forks, ...steps], [13, 14])))).toEqual([
      ...[...begin, '2 wait-begin 1 with 0', ...end],
    ]);
    // The wait begins where it is noted, though its release comes later; and may have no end.
    expect(told(scheduleOf(trace, order([...forks, 5, 6, 9, 7, 8, 10], [13, 11])))).toEqual([
      ...[...begin, '2 wait-begin 1 with 0', '3 acquire 0', '3 signal 1', '3 release 0'],
    ]);
  });

  it('says which waits nobody signals', () => {
    const wait = (thread: string): string[] => [
      ...[`${thread} acquire 4`, `${thread} wait-begin 9`, `${thread} release 4`],
    ];
    const end = (thread: string): string[] => [`${thread} acquire 4`, `${thread} wait-end 9`];
    const lines = [...FORKS, ...wait('T1'), ...wait('T2'), 'T0 signal 9', ...end('T2')];
    const trace = traceOf([...lines, 'T2 release 4', ...end('T1'), 'T1 write 0', 'T2 write 0']);
    const all = Array.from({ length: trace.length - 2 }, (_, i) => i);
    const ends = told(scheduleOf(trace, order(all, [17, 18]))).filter((step) => /end/.test(step));
    expect(ends).toEqual(['3 wait-end 1 with 0', '2 wait-end 1 with 0 lapsed']);
  });

  it('has what a witness leaves out: locks taken again, and all of a thread that is joined', () => {
    const trace = traceOf([
      ...[...FORKS, 'T1 acquire 0', 'T1 acquire 0', 'T1 release 0', 'T1 release 0'],
      ...['T2 end 2', 'T0 join 2', 'T1 acquire 0', 'T1 write 0', 'T0 write 0'],
    ]);
    expect(told(scheduleOf(trace, order([1, 2, 3, 4, 5, 8, 10], [12, 13])))).toEqual([
      ...['1 fork 2', '1 fork 3', '2 begin', '3 begin', '2 acquire 0', '2 acquire 0'],
      ...['2 release 0', '2 release 0', '3 end', '1 join 3', '2 acquire 0'],
    ]);
  });

  it('has atomic accesses once, whatever they consist of', () => {
    const trace = traceOf([
      ...[...FORKS, 'T1 atomic-write 0 77', 'T1 atomic-write 1 77', 'T1 atomic-write 1 77'],
      ...['T2 atomic-read 1', 'T2 write 2', 'T1 write 2'],
    ]);
    const schedule = scheduleOf(trace, order([1, 2, 3, 4, 5, 6, 7, 8], [9, 10]));
    expect(told(schedule).slice(4)).toEqual(['2 atomic', '2 atomic', '3 atomic']);
    expect(schedule.steps.slice(4).map(({ event }) => event)).toEqual([5, 7, 8]);
    expect(schedule.sides.map(({ steps }) => steps)).toEqual([1, 1]);
  });

  it('may do without what only keeps the rules of a trace', () => {
    const trace = traceOf([
      ...[...FORKS, 'T1 acquire 0', 'T1 once-pass 3', 'T1 release 0 -', 'T1 end 1'],
      ...['T2 acquire 0', 'T2 release 0 -', 'T2 write 0', 'T0 join 1', 'T0 write 0'],
    ]);
    const steps = told(scheduleOf(trace, order([1, 2, 3, 4, 5, 6, 7, 9, 10, 12], [11, 13])));
    expect(steps.slice(4)).toEqual([
      ...['2 acquire 0', '2 once-pass 1 optional', '2 release 0 optional'],
      ...['3 acquire 0', '3 release 0', '2 end', '1 join 2'],
    ]);
  });

  it('is for the first process', () => {
    const trace = traceOf(
      ['T0 begin 0', 'T0 fork 1', 'T1 begin 1', 'T2 acquire 0', 'T2 write 0', 'T1 write 0'],
      [7, 7, 8],
    );
    const schedule = scheduleOf(trace, order([1, 2, 3], [4, 5]));
    expect(told(schedule)).toEqual(['1 fork 2', '2 begin']);
    expect(schedule).toMatchObject({ threads: 2, racing: [2] });
    expect(schedule.sides).toEqual([
      { event: 4, thread: undefined, steps: 0 },
      { event: 5, thread: 2, steps: 1 },
    ]);
  });
});
