import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRun, type Run } from '../trace/run-directory.ts';
import { TraceWriter } from '../trace/writer.ts';
import { analyse } from './analyse.ts';
import { Script } from './testdata/records.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deadheat-analyse-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Two processes that write the same file, recorded with so many events lost. */
function racyRun(droppedEvents: number): Run {
  const info = {
    version: '0',
    engine: 'procs',
    command: ['x'],
    cwd: '/',
    recorder: 'bpf',
  } as const;
  const run = createRun({ ...info, command: ['x'] }, { folder });
  const writer = new TraceWriter(run.traceFile);
  const script = new Script().fork(1, 2).fork(1, 3).write(2, '/f').write(3, '/f');
  for (const record of script.records) writer.append(record);
  writer.close({ droppedEvents });
  return run;
}

it('analyses a recording without holes', () => {
  expect(analyse(racyRun(0), '0', { salvage: false, all: false }).races).toHaveLength(1);
});

it('refuses one from which events are missing, with or without salvage', () => {
  for (const salvage of [false, true]) {
    expect(() => analyse(racyRun(5), '0', { salvage, all: false })).toThrow(/lacks 5 events/);
  }
});
