import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../trace/records/call.ts';
import { isOrdered } from '../../testdata/ordered.ts';
import { Script, socket, words } from '../../testdata/records.ts';
import { addressIn } from './sockaddr.ts';

const port = (number: number): string => `\x02\0${String.fromCharCode(number >> 8, number & 0x7f)}`;
const listens = (script: Script, task: number, number = 80): Script =>
  script
    .call(task, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(1) })
    .call(task, 'bind', undefined, { file: socket(1), data: port(number) })
    .call(task, 'listen', undefined, { file: socket(1) });
const connects = (script: Script, task: number, as: number, result = 0): Script =>
  script
    .call(task, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(as) })
    .call(task, 'connect', undefined, { file: socket(as), data: port(80), result });
const accepts = (script: Script, task: number, as: number): Script =>
  script.call(task, 'accept', undefined, { file: socket(1), file2: socket(as), result: 5 });
const sends = (script: Script, task: number, as: number): Script =>
  script.call(task, 'sendto', undefined, { args: [0, 0, 5], result: 5, file: socket(as) });
const receives = (script: Script, task: number, as: number): Script =>
  script.call(task, 'recvfrom', undefined, { args: [0, 0, 5], result: 5, file: socket(as) });
const three = (): Script => new Script().fork(1, 2).fork(1, 3);

describe('connecting', () => {
  it('comes after listening, if it succeeds', () => {
    const server = (): Script => listens(three().mark(2, 'first'), 2);
    expect(isOrdered(connects(server(), 3, 20).mark(3, 'then'))).toBe(true);
    expect(isOrdered(connects(server(), 3, 20, -115).mark(3, 'then'))).toBe(true);
    expect(isOrdered(connects(server(), 3, 20, -111).mark(3, 'then'))).toBe(false);
    const other = listens(three().mark(2, 'first'), 2, 81);
    expect(isOrdered(connects(other, 3, 20).mark(3, 'then'))).toBe(false);
  });

  it('comes before being accepted, in the order of the queue', () => {
    const two = (): Script => {
      const script = listens(three().fork(1, 4), 2);
      return connects(connects(script, 3, 20).mark(4, 'first'), 4, 21);
    };
    expect(isOrdered(accepts(two(), 2, 30).mark(2, 'then'))).toBe(false);
    expect(isOrdered(accepts(accepts(two(), 2, 30), 2, 31).mark(2, 'then'))).toBe(true);
  });

  it('leads to the other end, and to no other', () => {
    const paired = (): Script => {
      const script = connects(connects(listens(three(), 2), 3, 20), 3, 21);
      return sends(accepts(accepts(script, 2, 30), 2, 31).mark(3, 'first'), 3, 21);
    };
    expect(isOrdered(receives(paired(), 2, 31).mark(2, 'then'))).toBe(true);
    expect(isOrdered(receives(paired(), 2, 30).mark(2, 'then'))).toBe(false);
  });

  it('at the same time leaves open who is who', () => {
    const script = listens(three().fork(1, 4), 2).mark(4, 'first');
    accepts(connects(connects(script, 3, 20), 4, 21), 2, 30).mark(2, 'then');
    const overlapping = script.records.map((record) =>
      record.kind === 'call' && record.tid === 3 && record.file?.inode === 20
        ? ({ ...record, exit: record.exit + 100 } satisfies CallRecord)
        : record,
    );
    expect(isOrdered(script)).toBe(false);
    script.records.splice(0, script.records.length, ...overlapping);
    expect(isOrdered(script)).toBe(true);
  });

  it('is told by poll to the one who listens', () => {
    const script = connects(listens(three().mark(3, 'first'), 2), 3, 20);
    const polled = words(2, 3, 0, 1, 1);
    expect(
      isOrdered(script.call(2, 'poll', undefined, { result: 1, data: polled }).mark(2, 'then')),
    ).toBe(true);
  });
});

it('addresses are read as both sides name them', () => {
  expect(addressIn(port(80))).toBe('port 80');
  expect(addressIn(port(0))).toBeUndefined();
  expect(addressIn('\x01\0/run/x\0rest')).toBe('/run/x');
  expect(addressIn('\x01\0\0name')).toBe('@name');
  expect(addressIn('\x10\0\0\0')).toBeUndefined();
  expect(addressIn('\x01')).toBeUndefined();
  expect(addressIn(undefined)).toBeUndefined();
});
