import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { errnoNumber } from '../../../linux/errno.ts';
import { nanoseconds, pid, tid } from '../../../linux/ids.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { outsideOf } from './outside-peers.ts';

const [AF_UNIX, AF_INET, AF_INET6, SOCK_STREAM, SOCK_DGRAM] = [1, 2, 10, 1, 2];
const SHUT_WR = 1;
const MSG_PEEK = 2;
const EINPROGRESS = errnoNumber('EINPROGRESS')!;
const ECONNRESET = errnoNumber('ECONNRESET')!;

const v4 = (host: string, port: number): string =>
  decodeBytes(Buffer.from([AF_INET, 0, port >> 8, port & 255, ...host.split('.').map(Number)]));
const v6 = (hex: string, port: number): string =>
  decodeBytes(
    Buffer.from([AF_INET6, 0, port >> 8, port & 255, 0, 0, 0, 0, ...Buffer.from(hex, 'hex')]),
  );

/** A recording of one task; descriptor 3 is socket 103, and so on. */
class Recording {
  readonly records: TraceRecord[] = [];
  #sequence = 0;

  constructor() {
    const common = { sequence: 0, time: nanoseconds(0), tid: tid(1), pid: pid(1) };
    this.records.push({ kind: 'start', ...common, parentTid: tid(0), how: 'root' });
  }

  call(
    name: string,
    args: readonly number[],
    result: number,
    more: Partial<CallRecord> = {},
  ): this {
    const [entry, exit] = [++this.#sequence, ++this.#sequence];
    const common = { tid: tid(1), enteredAt: nanoseconds(0), leftAt: nanoseconds(0) };
    const file = socket(args[0] ?? 0);
    const number = syscallNumber(name);
    const call = { kind: 'call', ...common, number, entry, exit, args, result, file, ...more };
    this.records.push(call as CallRecord);
    return this;
  }

  socket(fd: number, family = AF_INET, type = SOCK_STREAM): this {
    return this.call('socket', [family, type, 0], fd, {
      file: undefined,
      file2: socket(fd),
    } as object);
  }

  connect(fd: number, data: string, result = 0): this {
    return this.call('connect', [fd], result, { data });
  }

  moves(kind: 'sent' | 'received', fd: number, data: string, result = data.length): this {
    const common = { sequence: ++this.#sequence, time: nanoseconds(0), tid: tid(1) };
    if (data !== '') this.records.push({ kind, ...common, socket: 100 + fd, data });
    return this.call(kind === 'sent' ? 'write' : 'read', [fd, 0, 9999], result);
  }

  /** poll(2) says that this descriptor can be read. */
  readable(fd: number): this {
    const found = Buffer.from([fd, 0, 0, 0, 1, 0, 1, 0]);
    const file = { file: undefined } as object;
    return this.call('poll', [0, 1, 0], 1, { data: decodeBytes(found), ...file });
  }

  get outside() {
    return outsideOf(this.records);
  }

  get peers() {
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
    return this.outside.peers.map(({ host, port, conversations }) => ({
      at: `${host} ${port}`,
      conversations: conversations.map(({ sent, sentLength, utterances, end, isWhole }) => ({
        ...{ sent: text(sent), sentLength, isWhole },
        utterances: utterances.map(({ after, bytes }) => `${after}: ${text(bytes)}`),
        end: end && `${end.after}${end.isReset ? ' by reset' : ''}`,
      })),
    }));
  }
}

const socket = (fd: number): KernelFile => ({ id: fd, device: 8, inode: 100 + fd, mode: 0o140777 });
const places = (recording: Recording): string[] => recording.peers.map(({ at }) => at);

describe('whom a program has talked to', () => {
  it('and what was said, after how much', () => {
    const recording = new Recording().socket(3).connect(3, v4('192.0.2.7', 80));
    recording.moves('sent', 3, 'GET a').moves('received', 3, 'A1').moves('received', 3, 'A2');
    recording.moves('sent', 3, 'BYE').moves('received', 3, '', 0);
    const utterances = ['5: A1', '5: A2'];
    const said = { sent: 'GET aBYE', sentLength: 8, isWhole: true, utterances, end: '8' };
    expect(recording.peers).toEqual([{ at: '192.0.2.7 80', conversations: [said] }]);
  });

  it('what was there before it was read came before what was sent in between', () => {
    const recording = new Recording().socket(3).connect(3, v4('192.0.2.7', 80));
    recording.moves('sent', 3, 'one').readable(3).moves('sent', 3, 'two');
    recording.moves('received', 3, 'first').moves('received', 3, 'second');
    recording
      .call('recvfrom', [3, 0, 9, MSG_PEEK], 1)
      .moves('sent', 3, 'x')
      .moves('received', 3, 'y');
    const [peer] = recording.peers;
    expect(peer?.conversations[0]?.utterances).toEqual(['3: first', '6: second', '6: y']);
    const cues = [...recording.outside.cues].map(([{ number }, found]) => [
      number,
      found.map(({ fd, isDue }) => [fd, isDue]),
    ]);
    expect(cues).toEqual([
      [syscallNumber('poll'), [[3, true]]],
      [syscallNumber('read'), [[3, true]]],
      [syscallNumber('recvfrom'), [[3, true]]],
    ]);
  });

  it('a call that waits while another sends need not find it at once', () => {
    const recording = new Recording().socket(3).connect(3, v4('192.0.2.7', 80));
    recording.moves('sent', 3, 'one').moves('received', 3, 'A');
    const read = recording.records.at(-1) as CallRecord;
    const begunBefore = { ...read, entry: 0 };
    recording.records[recording.records.length - 1] = begunBefore;
    expect(recording.outside.cues.get(begunBefore)?.map(({ isDue }) => isDue)).toEqual([false]);
  });

  it('its last word counts as one byte', () => {
    const recording = new Recording().socket(3).connect(3, v4('192.0.2.7', 80));
    recording.moves('sent', 3, 'all').call('shutdown', [3, SHUT_WR], 0).moves('received', 3, 'A');
    recording.moves('received', 3, '', -ECONNRESET);
    expect(recording.peers[0]?.conversations[0]).toMatchObject({
      ...{ sentLength: 3, utterances: ['4: A'], end: '4 by reset' },
    });
  });

  it('is not whole if something was not kept', () => {
    const begin = (): Recording => new Recording().socket(3).connect(3, v4('192.0.2.7', 80));
    const isWhole = (recording: Recording) => recording.peers[0]?.conversations[0]?.isWhole;
    expect(isWhole(begin().moves('received', 3, 'abc', 4))).toBe(false);
    expect(isWhole(begin().call('recvmmsg', [3], 1))).toBe(false);
    expect(isWhole(begin().call('splice', [3], 7, { file2: { ...socket(9), inode: 1 } }))).toBe(
      false,
    );
    expect(isWhole(begin().moves('sent', 3, 'abc', 4).moves('received', 3, 'x'))).toBe(true);
  });

  it('each once, with all conversations in their order', () => {
    const recording = new Recording();
    for (const [fd, port] of [
      [3, 80],
      [4, 81],
      [5, 80],
    ] as const) {
      recording.socket(fd).connect(fd, v4('192.0.2.7', port)).moves('sent', fd, `${fd}`);
    }
    const told = recording.peers.map(({ at, conversations }) => [
      at,
      conversations.map(({ sent }) => sent),
    ]);
    expect(told).toEqual([
      ['192.0.2.7 80', ['3', '5']],
      ['192.0.2.7 81', ['4']],
    ]);
  });

  it('also over IPv6, and by addresses that stand for others', () => {
    const mapped = `${'00'.repeat(10)}ffffc0000207`;
    const loopback = `${'00'.repeat(15)}01`;
    const linkLocal = `fe80${'00'.repeat(13)}01`;
    const recording = new Recording();
    for (const [index, host] of [mapped, loopback, '00'.repeat(16), linkLocal].entries()) {
      recording.socket(3 + index, AF_INET6).connect(3 + index, v6(host, 80));
    }
    recording.socket(9).connect(9, v4('0.0.0.0', 80));
    expect(places(recording)).toEqual(['192.0.2.7 80', '::1 80', '127.0.0.1 80']);
  });

  it('not who never answered, nor by datagrams or other sockets', () => {
    const recording = new Recording().socket(3).connect(3, v4('192.0.2.7', 80), -EINPROGRESS);
    recording.socket(4).connect(4, v4('192.0.2.8', 80), -errnoNumber('ECONNREFUSED')!);
    recording.socket(5, AF_INET, SOCK_DGRAM).connect(5, v4('192.0.2.9', 53));
    recording.socket(6, AF_UNIX).connect(6, '\x01\0/run/x\0');
    expect(places(recording)).toEqual([]);
    const { isKnown } = recording.outside;
    expect(isKnown({ host: '192.0.2.8', port: 80 })).toBe(true);
    expect(isKnown({ host: '192.0.2.8', port: 81 })).toBe(false);
    expect(places(recording.connect(3, v4('192.0.2.7', 80)))).toEqual(['192.0.2.7 80']);
  });

  it('not a process of its own', () => {
    const serving = (data: string | undefined, fd = 7): Recording => {
      const recording = new Recording().socket(fd);
      if (data !== undefined) recording.call('bind', [fd], 0, { data });
      recording.call('listen', [fd], 0).call('accept', [fd], 8, { file2: socket(8) });
      return recording
        .socket(3)
        .connect(3, v4('127.0.0.1', 80))
        .socket(4)
        .connect(4, v4('192.0.2.7', 80));
    };
    expect(places(serving(v4('0.0.0.0', 80)))).toEqual([]);
    expect(places(serving(v4('127.0.0.1', 80)))).toEqual(['192.0.2.7 80']);
    expect(places(serving(v4('0.0.0.0', 81)))).toEqual(['127.0.0.1 80', '192.0.2.7 80']);
    // At a port that the kernel chose.
    expect(places(serving(undefined))).toEqual(['192.0.2.7 80']);
    expect(places(serving(v4('0.0.0.0', 0)))).toEqual(['192.0.2.7 80']);
    // With a socket that it was given.
    const given = new Recording().call('accept', [7], 8, { file2: socket(8) });
    given.socket(3).connect(3, v4('127.0.0.1', 80));
    expect(places(given)).toEqual([]);
  });

  it('a server of another kind is none that could be meant', () => {
    const recording = new Recording()
      .socket(7, AF_UNIX)
      .call('bind', [7], 0, { data: '\x01\0/x\0' });
    recording.call('listen', [7], 0).call('accept', [7], 8, { file2: socket(8) });
    recording.socket(3).connect(3, v4('127.0.0.1', 80));
    expect(places(recording)).toEqual(['127.0.0.1 80']);
  });
});
