import { closeSync, fstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeBytes } from '../../base/bytes.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { openInput } from './repeated-input.ts';

const inputs = (...pieces: readonly Buffer[]): TraceRecord[] =>
  pieces.map((piece, index) => ({
    kind: 'input',
    tid: tid(1),
    sequence: index,
    time: nanoseconds(index),
    data: decodeBytes(piece),
  }));

function opened(...args: Parameters<typeof openInput>): number {
  const fd = openInput(...args);
  onTestFinished(() => closeSync(fd));
  return fd;
}

const PIPE = { inputIsSocket: false };

describe('the input of a program that runs once more', () => {
  it('is all that was read the first time, and then ends', () => {
    const bytes = [Buffer.from('one\n'), Buffer.of(0, 255, 128, 10)];
    const fd = opened(PIPE, inputs(...bytes));
    expect(fstatSync(fd).isFIFO()).toBe(true);
    expect(readFileSync(fd)).toEqual(Buffer.concat(bytes));
  });

  it('ends at once if nothing was read', () => {
    expect(readFileSync(opened(PIPE, [])).length).toBe(0);
  });

  it('is a socket if it was one', () => {
    const fd = opened({ inputIsSocket: true }, inputs(Buffer.from('hello')));
    expect(fstatSync(fd).isSocket()).toBe(true);
    expect(readFileSync(fd, 'utf8')).toBe('hello');
  });

  it('may be as much as a pipe can hold, and no more', () => {
    const megabyte = Buffer.alloc(1 << 20, 'x');
    expect(readFileSync(opened(PIPE, inputs(megabyte))).equals(megabyte)).toBe(true);
    expect(() => openInput(PIPE, inputs(megabyte, Buffer.of(1)))).toThrow(
      'the program read 1048577 bytes of input, more than a pipe can hold',
    );
  });

  it('is the same file if it was one, whatever was read of it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const input = join(folder, 'input');
    writeFileSync(input, 'all of it');
    const fd = opened({ input, ...PIPE }, inputs(Buffer.from('all')));
    expect(readFileSync(fd, 'utf8')).toBe('all of it');
    expect(() => openInput({ input: `${input}.gone`, ...PIPE }, [])).toThrow(
      `cannot open ${input}.gone, which was the input of the program`,
    );
  });
});
