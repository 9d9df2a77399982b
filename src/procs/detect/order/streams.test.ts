import { describe, expect, it } from 'vitest';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { isOrdered } from '../../testdata/ordered.ts';
import { pipe, Script, socket } from '../../testdata/records.ts';

const write = (script: Script, task: number, file: KernelFile, result = 5): Script =>
  script.call(task, 'write', undefined, { args: [9, 0, result], result, file });
const read = (script: Script, task: number, file: KernelFile, result = 5): Script =>
  script.call(task, 'read', undefined, { args: [9, 0, result], result, file });
/** 2 writes into one and 3 reads from the other. */
const through = (into: KernelFile, from = into, prepare = new Script()): boolean => {
  const script = prepare.fork(1, 2).fork(1, 3).mark(2, 'first');
  return isOrdered(read(write(script, 2, into), 3, from).mark(3, 'then'));
};

describe('a read comes after the write', () => {
  const event = (id: number): KernelFile => ({ id, device: 0, inode: 9, mode: 0 });
  const terminal: KernelFile = { ...pipe(7), mode: 0o020620 };
  const pair = (type: number): Script =>
    new Script().call(1, 'socketpair', undefined, {
      args: [1, type],
      file: socket(1),
      file2: socket(2),
    });
  it.each<[string, boolean, boolean]>([
    ['of the same pipe', through(pipe(7)), true],
    [
      'of a pipe that is known from its start',
      through(pipe(7), pipe(7), new Script().makePipe(1, 7)),
      true,
    ],
    ['of another pipe', through(pipe(7), pipe(8)), false],
    ['of the other end of a socket', through(socket(1), socket(2), pair(1)), true],
    ['of messages', through(socket(1), socket(2), pair(2)), true],
    ['of its own end', through(socket(1), socket(1), pair(1)), false],
    ['of a socket whose other end is not known', through(socket(1), socket(2)), true],
    ['of an event descriptor', through(event(5)), true],
    ['of another one', through(event(5), event(6)), false],
    ['of some, if they cannot be told apart', through(event(0), event(0)), true],
    ['but not of a terminal', through(terminal), false],
    ['but not of a file', through({ ...pipe(7), mode: 0o100644 }), false],
  ])('%s', (_, ordered, expected) => expect(ordered).toBe(expected));
});

describe('only the bytes that were read count', () => {
  const twoWriters = (): Script => new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).fork(1, 4);

  it('and not those of others', () => {
    const script = write(write(twoWriters(), 3, pipe(7)).mark(2, 'first'), 2, pipe(7));
    expect(isOrdered(read(script, 4, pipe(7)).mark(4, 'then'))).toBe(false);
  });

  it('even if somebody has only looked at them', () => {
    const peeked = write(write(twoWriters(), 3, pipe(7)).mark(2, 'first'), 2, pipe(7));
    peeked.call(4, 'tee', undefined, { args: [9, 9, 5], result: 5, file: pipe(7), file2: pipe(8) });
    expect(isOrdered(peeked.mark(4, 'then'))).toBe(false);
    const both = write(write(twoWriters(), 3, pipe(7)).mark(2, 'first'), 2, pipe(7));
    both.call(4, 'tee', undefined, { args: [9, 9, 9], result: 9, file: pipe(7), file2: pipe(8) });
    expect(isOrdered(both.mark(4, 'then'))).toBe(true);
  });

  it('unless the pipe is older than the recording: then they may be anybody’s', () => {
    const script = new Script().fork(1, 2).fork(1, 3).fork(1, 4);
    write(write(script, 3, pipe(7)).mark(2, 'first'), 2, pipe(7));
    expect(isOrdered(read(script, 4, pipe(7)).mark(4, 'then'))).toBe(true);
  });

  it('also through another pipe', () => {
    const script = write(twoWriters().makePipe(1, 8).mark(2, 'first'), 2, pipe(7));
    script.call(3, 'splice', undefined, { result: 5, file: pipe(7), file2: pipe(8) });
    expect(isOrdered(read(script, 4, pipe(8)).mark(4, 'then'))).toBe(true);
  });
});

it('a number that is used again is another stream', () => {
  const event: KernelFile = { id: 5, device: 0, inode: 9, mode: 0 };
  const make = { result: 9, file2: event };
  const script = new Script().call(1, 'eventfd2', undefined, make).fork(1, 2).fork(1, 3);
  write(script.mark(2, 'first'), 2, event).call(3, 'eventfd2', undefined, make);
  expect(isOrdered(read(script, 3, event).mark(3, 'then'))).toBe(false);
});

it('bytes that a client sends before it is accepted reach the server', () => {
  const address = `\x02\0${String.fromCharCode(0, 80)}`;
  const script = new Script()
    .call(1, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(1) })
    .call(1, 'bind', undefined, { file: socket(1), data: address })
    .call(1, 'listen', undefined, { file: socket(1) })
    .fork(1, 2)
    .call(2, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(20) })
    .call(2, 'connect', undefined, { file: socket(20), data: address })
    .mark(2, 'first');
  write(script, 2, socket(20));
  script.call(1, 'accept', undefined, { file: socket(1), file2: socket(30), result: 5 });
  expect(isOrdered(read(script, 1, socket(30)).mark(1, 'then'))).toBe(true);
});
