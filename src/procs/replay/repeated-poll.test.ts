import { expect, it } from 'vitest';
import { asRecorded } from './repeated-poll.ts';

const POLLIN = 1;
const POLLHUP = 0x10;

/** Each a descriptor, and what it is ready for. */
function polled(...entries: [number, number][]): Buffer {
  const bytes = Buffer.alloc(entries.length * 8);
  for (const [index, [fd, revents]] of entries.entries()) {
    bytes.writeInt32LE(fd, index * 8);
    bytes.writeUInt16LE(POLLIN, index * 8 + 4);
    bytes.writeUInt16LE(revents, index * 8 + 6);
  }
  return bytes;
}

it('hides what was not ready when it was recorded', () => {
  const recorded = polled([5, POLLIN], [7, 0]);
  expect(asRecorded(recorded, polled([5, POLLIN], [7, POLLHUP]))).toEqual(recorded);
  expect(asRecorded(recorded, polled([5, POLLIN | POLLHUP], [7, 0]))).toEqual(recorded);
  expect(asRecorded(polled([5, 0]), polled([5, POLLIN]))).toEqual(polled([5, 0]));
});

it('changes nothing where it is the same, less, or about something else', () => {
  const recorded = polled([5, POLLIN], [7, 0]);
  expect(asRecorded(recorded, recorded)).toBe(undefined);
  expect(asRecorded(recorded, polled([5, 0], [7, POLLHUP]))).toBe(undefined);
  expect(asRecorded(recorded, polled([6, POLLIN], [7, POLLHUP]))).toBe(undefined);
  expect(asRecorded(recorded, polled([5, POLLIN]))).toBe(undefined);
});
