import { closeSync, fstatSync, readFileSync, readSync, writeSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePipe, makeSocketPair } from './pipe.ts';

/** O_CLOEXEC, as /proc shows it. */
const isClosedByExec = (fd: number): boolean =>
  /^flags:\s*02\d{6}$/m.test(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));

function closing(...fds: readonly number[]): void {
  onTestFinished(() => {
    for (const fd of fds) closeSync(fd);
  });
}

describe('a pipe', () => {
  it('takes so many bytes before anybody has read', () => {
    const { readEnd, writeEnd } = makePipe(1 << 18);
    closing(readEnd);
    const bytes = Buffer.alloc(1 << 18, 'x');
    expect(writeSync(writeEnd, bytes)).toBe(bytes.length);
    closeSync(writeEnd);
    expect(readFileSync(readEnd).equals(bytes)).toBe(true);
  });

  it('is nobody else’s', () => {
    const { readEnd, writeEnd } = makePipe(65_536);
    closing(readEnd, writeEnd);
    expect([readEnd, writeEnd].map(isClosedByExec)).toEqual([true, true]);
  });

  it('says why it cannot be made, and leaves nothing open', () => {
    const next = makePipe(65_536);
    closeSync(next.readEnd);
    closeSync(next.writeEnd);
    expect(() => makePipe(2 ** 31 - 1)).toThrow(/fcntl\(.*F_SETPIPE_SZ/);
    const again = makePipe(65_536);
    closing(again.readEnd, again.writeEnd);
    expect(again).toEqual(next);
  });
});

describe('a pair of sockets', () => {
  it('is connected, both ways, and closed by exec', () => {
    const [one, other] = makeSocketPair();
    closing(one, other);
    expect([one, other].map((fd) => fstatSync(fd).isSocket())).toEqual([true, true]);
    expect([one, other].map(isClosedByExec)).toEqual([true, true]);
    const buffer = Buffer.alloc(9);
    writeSync(one, 'there');
    expect(buffer.toString('utf8', 0, readSync(other, buffer))).toBe('there');
    writeSync(other, 'back');
    expect(buffer.toString('utf8', 0, readSync(one, buffer))).toBe('back');
  });
});
