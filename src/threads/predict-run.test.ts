import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRun, type Run } from '../trace/run-directory.ts';
import { NONE, Op } from './model/op.ts';
import { predictRun } from './predict-run.ts';
import { ThreadTraceWriter } from './storage/writer.ts';
import { readWitnesses } from './witness-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deadheat-predict-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const OPTIONS = { version: '0', sound: false, budgetMs: Number.POSITIVE_INFINITY };

/** main forks a worker; both write elements of an array at the same two lines, under different locks. */
function pool(elements: number, droppedEvents = 0): Run {
  const info = { version: '0', engine: 'threads', recorder: 'agent', cwd: '/' } as const;
  const run = createRun({ ...info, command: ['./pool'] }, { folder });
  const writer = new ThreadTraceWriter(run.traceFile);
  const { threads, locks, variables, sites, modules } = writer.tables;
  const module = modules.add({ path: '/home/me/pool', buildId: '', functionsTraced: 3 });
  for (const [i, name] of ['main', 'worker'].entries()) {
    threads.add({ name, process: 20, tid: 20 + i });
  }
  locks.add({ kind: 'mutex', address: 0x10, symbol: 'm' });
  for (const line of [30, 33, 14, 19]) {
    sites.add({ module, address: line, function: 'f', file: '/home/me/pool.c', line });
  }
  for (let i = 0; i < elements; i++) {
    variables.add({ address: 0x100 + 4 * i, size: 4, allocation: NONE, symbol: `slots[${i}]` });
  }
  writer.append(0, Op.fork, 1, 0);
  for (let i = 0; i < elements; i++) writer.append(0, Op.write, i, 1);
  writer.append(0, Op.acquire, 0, 1);
  writer.append(0, Op.release, 0, 1);
  writer.append(1, Op.acquire, 0, 2);
  writer.append(1, Op.release, 0, 2);
  for (let i = 0; i < elements; i++) writer.append(1, Op.read, i, 3);
  writer.close({ droppedEvents });
  return run;
}

describe('a run', () => {
  it('gets a report, with one race for one bug, its rung and its witness', () => {
    const run = pool(50);
    const { report } = predictRun(run, OPTIONS);
    expect(JSON.parse(readFileSync(run.reportFile, 'utf8'))).toEqual(report);
    const site = { function: 'f', file: '/home/me/pool.c', module: '/home/me/pool' };
    expect(report).toMatchObject({
      engine: 'threads',
      command: ['./pool'],
      races: [
        {
          id: 'R1',
          kind: 'data-race',
          verdict: 'predicted',
          title:
            'worker reads slots[0] at pool.c:19 while main writes it at pool.c:33 (and 49 more variables alike)',
          object: { type: 'memory', name: 'slots[0]' },
          accesses: [
            {
              process: 'pool',
              pid: 20,
              thread: 21,
              threadName: 'worker',
              op: 'read',
              what: '4 bytes at 0x100',
              site: { ...site, line: 19, address: '0x13' },
            },
            { thread: 20, threadName: 'main', op: 'write', site: { ...site, line: 33 } },
          ],
          steps: [
            { pid: 20, thread: 20, threadName: 'main', what: 'fork worker' },
            { pid: 20, thread: 21, threadName: 'worker', what: 'acquire m' },
            { pid: 20, thread: 21, threadName: 'worker', what: 'release m' },
          ],
          rung: 'sync-preserving',
          certain: true,
          occurrences: 50,
        },
      ],
      tasks: [
        { thread: 21, threadName: 'worker', parent: { pid: 20, thread: 20 } },
        { thread: 20, threadName: 'main' },
      ],
      stats: {
        events: 105,
        threads: 2,
        rungs: { 'happens-before': 0, 'sync-preserving': 1, search: 0 },
        undecided: 0,
      },
    });
  });

  it('keeps whole witnesses for those who follow them', () => {
    const run = pool(2);
    for (const budgetMs of [0, Number.POSITIVE_INFINITY]) {
      const { witnesses, trace } = predictRun(run, { ...OPTIONS, budgetMs });
      const read = readWitnesses(run, trace);
      expect([...read.keys()]).toEqual(['R1']);
      expect(read.get('R1')!.steps).toEqual(witnesses.get('R1')!.steps);
      expect(read.get('R1')!.steps.map(({ event }) => event)).toEqual([0, 5, 6]);
      expect(read.get('R1')).toMatchObject({
        racing: witnesses.get('R1')!.racing,
        isShortest: budgetMs > 0,
        recordedUntil: 0,
      });
    }
  });

  it('tells if its witnesses are missing, damaged, or of another trace', () => {
    const run = pool(2);
    const { trace } = predictRun(run, OPTIONS);
    const file = join(run.path, 'witnesses.json');
    const text = readFileSync(file, 'utf8');
    for (const bad of ['{', '{"schema":2}', text.replace(/"racing":\[\d+/, '"racing":[9999')]) {
      writeFileSync(file, bad);
      expect(() => readWitnesses(run, trace)).toThrow(/is damaged, or belongs to another trace/);
    }
    rmSync(file);
    expect(() => readWitnesses(run, trace)).toThrow(/has no witnesses/);
  });

  it('is refused if events are missing, or if there are none', () => {
    expect(() => predictRun(pool(2, 5), OPTIONS)).toThrow(/lacks 5 events/);
    const info = { version: '0', engine: 'threads', recorder: 'agent', cwd: '/' } as const;
    const empty = createRun({ ...info, command: ['./pool'] }, { folder });
    new ThreadTraceWriter(empty.traceFile).close({ droppedEvents: 0 });
    expect(() => predictRun(empty, OPTIONS)).toThrow(/is empty, which says nothing about races/);
  });

  it('that may only be read is still analysed', () => {
    const run = pool(2);
    run.saveReport = () => {
      throw new Error('not reached');
    };
    Object.defineProperty(run, 'path', { value: join(folder, 'gone') });
    const traceFile = join(folder, '.deadheat', 'threads-1', 'trace.bin');
    Object.defineProperty(run, 'traceFile', { value: traceFile });
    const { report } = predictRun(run, OPTIONS);
    expect(report.warnings).toEqual([expect.stringMatching(/cannot write .*witnesses.json/)]);
    expect(report.races).toHaveLength(1);
  });
});
