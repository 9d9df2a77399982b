import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { nanoseconds, tid } from '../linux/ids.ts';
import type { WriteSync } from './output-file.ts';
import { readTrace } from './reader.ts';
import { TraceWriter } from './writer.ts';

const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-output-'));
const path = join(folder, 'trace.bin');
beforeEach(() => fs.rmSync(path, { force: true }));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const note = (sequence: number) => ({
  kind: 'note' as const,
  sequence,
  time: nanoseconds(sequence),
  tid: tid(1),
  text: `note ${sequence}`,
});

/** A disk that writes at most `most` bytes at a time and has room for `room`. */
function smallDisk(most: number, room: number, code = 'ENOSPC'): WriteSync {
  return (fd, bytes, offset, length, position) => {
    const fits = Math.min(most, length, room - position);
    if (fits <= 0) throw Object.assign(new Error(`${code}: it is full`), { code });
    return fs.writeSync(fd, bytes, offset, fits, position);
  };
}

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

function appendMany(writer: TraceWriter): void {
  for (let i = 0; i < 100_000; i++) writer.append(note(i));
}

describe('writing', () => {
  it('is for nobody else to read: what a program was told may be secret', () => {
    new TraceWriter(path).close({ droppedEvents: 0 });
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  });

  it('goes on after short writes', () => {
    const writer = new TraceWriter(path, { recordsPerChunk: 5, write: smallDisk(7, Infinity) });
    for (let i = 0; i < 20; i++) writer.append(note(i));
    writer.close({ droppedEvents: 0 });
    expect([...readTrace(path)]).toHaveLength(20);
  });

  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('ends after a whole chunk on %s', (code) => {
    const write = smallDisk(100, 3000, code);
    const writer = new TraceWriter(path, { recordsPerChunk: 10, write });
    const error = thrownBy(() => appendMany(writer));
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ status: ExitStatus.unavailable });
    expect((error as UserError).message).toMatch(new RegExp(`${code}.*bytes free in ${folder}`));
    expect((error as UserError).remedy).toContain('-o DIR');
    expect(thrownBy(() => writer.append(note(0)))).toBe(error);
    expect(thrownBy(() => writer.close({ droppedEvents: 0 }))).toBe(error);
    expectWholeChunks();
  });

  it('ends after a whole chunk at the limit of file sizes', (context) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) context.skip('no prlimit(1) here');
    const writer = new TraceWriter(path, { recordsPerChunk: 100 });
    const error = withFileSizeLimit(10_000, () => thrownBy(() => appendMany(writer)));
    expect((error as UserError).message).toContain('EFBIG');
    expect(thrownBy(() => writer.close({ droppedEvents: 0 }))).toBe(error);
    expect(fs.statSync(path).size).toBeGreaterThan(5000);
    expectWholeChunks();
  });

  it('never takes the place of a file', () => {
    fs.writeFileSync(path, 'mine');
    expect(() => new TraceWriter(path)).toThrow(/EEXIST/);
    expect(fs.readFileSync(path, 'utf8')).toBe('mine');
    expect(() => new TraceWriter(join(folder, 'absent', 'trace.bin'))).toThrow(/ENOENT/);
  });

  function expectWholeChunks(): void {
    const trace = readTrace(path, { salvage: true });
    const numbers = Array.from(trace, (record) => record.kind === 'note' && record.sequence);
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(trace.loss).toMatchObject({ reason: 'the recording was not finished', bytesLost: 0 });
  }
});

/** The real thing: the kernel refuses to let this process's files grow beyond `bytes`. */
function withFileSizeLimit<T>(bytes: number, act: () => T): T {
  const us = `--pid=${process.pid}`;
  const former = execFileSync('prlimit', [us, '--fsize', '--raw', '--noheadings', '-oSOFT']);
  const limit = (soft: string) => execFileSync('prlimit', [us, `--fsize=${soft}:`]);
  limit(String(bytes));
  try {
    return act();
  } finally {
    limit(former.toString().trim());
  }
}
