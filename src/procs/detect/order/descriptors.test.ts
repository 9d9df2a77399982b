import { describe, expect, it } from 'vitest';
import { isOrdered } from '../../testdata/ordered.ts';
import { pipe, Script, socket } from '../../testdata/records.ts';

const [F_DUPFD, F_SETFD, F_DUPFD_CLOEXEC] = [0, 2, 1030];
const O_CLOEXEC = 0o2000000;
const [READ, WRITE] = [3, 4];

/** Process 1 has made a pipe and process 2, and lets go of the writing end. */
const start = (): Script =>
  new Script()
    .makePipe(1, 7, [READ, WRITE])
    .fork(1, 2)
    .call(1, 'close', undefined, { args: [WRITE] });
const marked = (): Script => start().mark(2, 'first');
/** Process 1 sees the end of the stream. */
const atEnd = (script: Script): boolean => isOrdered(script.receive(1, 7, 0).mark(1, 'then'));
const ask = (script: Script): Script =>
  script.call(1, 'read', undefined, { args: [READ, 0, 9], result: 0, file: pipe(7) });
const endSeen = (script: Script): boolean => isOrdered(ask(script).mark(1, 'then'));
const close = (script: Script, fd = WRITE): Script =>
  script.call(2, 'close', undefined, { args: [fd] });
const fcntl = (script: Script, args: number[], result = 0): Script =>
  script.call(2, 'fcntl', undefined, { args, result });

describe('the end of a stream comes after all have let go of it', () => {
  it.each<[string, Script, boolean]>([
    ['nobody has', marked(), false],
    ['by closing it', close(marked()), true],
    ['in vain', marked().call(2, 'close', undefined, { args: [WRITE], result: -9 }), false],
    ['by closing the reading end', close(marked(), READ), false],
    ['by ending', marked().exit(2), true],
    [
      'by closing many',
      marked().call(2, 'close_range', undefined, { args: [3, 0xffffffff, 0] }),
      true,
    ],
    ['by closing others', marked().call(2, 'close_range', undefined, { args: [5, -1, 0] }), false],
    [
      'by putting another there',
      marked().call(2, 'dup2', undefined, { args: [1, WRITE], result: WRITE }),
      true,
    ],
    [
      'by putting itself there',
      marked().call(2, 'dup2', undefined, { args: [WRITE, WRITE], result: WRITE }),
      false,
    ],
    ['by exec, if it is kept open', marked().call(2, 'execve', '/bin/x'), false],
    [
      'by exec, if it is marked to be closed',
      fcntl(marked(), [WRITE, F_SETFD, 1]).call(2, 'execve', '/bin/x'),
      true,
    ],
    [
      'by exec in vain',
      fcntl(marked(), [WRITE, F_SETFD, 1]).call(2, 'execve', '/bin/x', { result: -2 }),
      false,
    ],
    [
      'by exec, if many are marked to be closed',
      marked()
        .call(2, 'close_range', undefined, { args: [3, -1, 4] })
        .call(2, 'execve', '/bin/x'),
      true,
    ],
  ])('%s', (_, script, expected) => expect(endSeen(script)).toBe(expected));
});

describe('a descriptor may be there twice', () => {
  const duplicated = (command: number): Script =>
    close(fcntl(start(), [WRITE, command, 10], 10)).mark(2, 'first');
  it.each<[string, Script, boolean]>([
    ['and is kept', duplicated(F_DUPFD), false],
    ['and is closed too', close(duplicated(F_DUPFD), 10), true],
    ['and is kept by exec', duplicated(F_DUPFD).call(2, 'execve', '/x'), false],
    ['and is closed by exec', duplicated(F_DUPFD_CLOEXEC).call(2, 'execve', '/x'), true],
    [
      'by dup3',
      close(start().call(2, 'dup3', undefined, { args: [WRITE, 9, O_CLOEXEC], result: 9 }))
        .mark(2, 'first')
        .call(2, 'execve', '/x'),
      true,
    ],
    ['in a child', close(start().fork(2, 3)).mark(3, 'first').exit(3), true],
  ])('%s', (_, script, expected) => expect(endSeen(script)).toBe(expected));
});

it('a read that asked for nothing has not seen the end', () => {
  expect(atEnd(close(marked()))).toBe(false);
});

it('a new pipe with an old number has not been let go of', () => {
  const script = close(marked()).makePipe(1, 7, [READ, WRITE]);
  expect(endSeen(script)).toBe(false);
});

it('a named pipe is let go of by those who could write', () => {
  const open = (flags: number): boolean => {
    const details = { args: [-100, 0, flags], result: 5, file2: pipe(9) };
    const script = new Script().fork(1, 2).call(2, 'openat', '/fifo', details).mark(2, 'first');
    close(script, 5).call(1, 'read', undefined, { args: [3, 0, 9], result: 0, file: pipe(9) });
    return isOrdered(script.mark(1, 'then'));
  };
  expect(open(1)).toBe(true);
  expect(open(0)).toBe(false);
});

it('one end of a socket pair sees that the other is closed or shut down', () => {
  const seen = (call: string, args: number[]): boolean => {
    const pair = { args: [1, 1], file: socket(1), file2: socket(2), data: '\x05\0\0\0\x06\0\0\0' };
    const script = new Script().call(1, 'socketpair', undefined, pair).fork(1, 2);
    script.call(1, 'close', undefined, { args: [6] }).mark(2, 'first');
    script.call(2, call, undefined, { args, file: socket(2) });
    script.call(1, 'recvfrom', undefined, { args: [5, 0, 9], result: 0, file: socket(1) });
    return isOrdered(script.mark(1, 'then'));
  };
  expect(seen('close', [6])).toBe(true);
  expect(seen('shutdown', [6, 1])).toBe(true);
  expect(seen('shutdown', [6, 0])).toBe(false);
  expect(seen('close', [5])).toBe(false);
});
