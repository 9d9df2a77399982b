import { describe, expect, it } from 'vitest';
import { allocate, mapShared, release } from './native-memory.ts';
import {
  closeEvent,
  controlEvent,
  type EventOptions,
  openEvent,
  type PerfEventFd,
  readCount,
  SampleField,
} from './perf-event.ts';
import { SystemError } from './system-error.ts';

/** Burns CPU time of this thread, not wall time: a slow machine only takes longer. */
function burn(milliseconds: number): void {
  const start = process.cpuUsage();
  while (process.cpuUsage(start).user + process.cpuUsage(start).system < milliseconds * 1000);
}

function withEvent<T>(options: EventOptions, use: (event: PerfEventFd) => T): T {
  const event = openEvent(options);
  try {
    return use(event);
  } finally {
    closeEvent(event);
  }
}

describe('perf events of this thread', () => {
  it('count CPU time, and only while enabled', () => {
    const options = { event: { type: 'software', name: 'task-clock' }, target: 0 } as const;
    withEvent({ ...options, startDisabled: true }, (event) => {
      burn(5);
      expect(readCount(event)).toBe(0n);
      controlEvent(event, 'enable');
      burn(20);
      controlEvent(event, 'disable');
      const count = readCount(event);
      expect(count).toBeGreaterThan(1_000_000n);
      burn(5);
      expect(readCount(event)).toBe(count);
      controlEvent(event, 'reset');
      expect(readCount(event)).toBe(0n);
    });
  });

  it('write samples of the CPU clock into a shared ring', () => {
    const clock: EventOptions = {
      event: { type: 'software', name: 'cpu-clock' },
      target: 0,
      every: { perSecond: 1000 },
      sample: SampleField.instruction | SampleField.thread,
    };
    withEvent(clock, (event) => {
      const ring = mapShared(event, 17 * 4096);
      try {
        burn(50);
        // data_head of struct perf_event_mmap_page, then a perf_event_header: PERF_RECORD_SAMPLE is 9.
        const written = ring.bytes.readBigUInt64LE(1024);
        expect(written).toBeGreaterThan(0n);
        // A thousand a second would fill the ring in 2.7 s; every thousand nanoseconds, at once.
        expect(written).toBeLessThan(60_000n);
        expect(ring.bytes.readUInt32LE(4096)).toBe(9);
        expect(ring.bytes.readUInt32LE(4096 + 16)).toBe(process.pid);
      } finally {
        release(ring);
      }
    });
  });

  it('count writes to a watched word, not reads', () => {
    const memory = allocate(4096);
    const event = {
      type: 'breakpoint',
      address: memory.address + 64n,
      size: 8,
      on: 'write',
    } as const;
    withEvent({ event, target: 0 }, (watch) => {
      memory.bytes.readBigUInt64LE(64);
      expect(readCount(watch)).toBe(0n);
      memory.bytes.writeUInt8(1, 64);
      memory.bytes.writeUInt8(1, 72);
      expect(readCount(watch)).toBe(1n);
    });
    release(memory);
  });

  it('say what was asked for when the kernel refuses', () => {
    const impossible: EventOptions = {
      event: { type: 'breakpoint', address: 1n, size: 8, on: 'write' },
      target: 0,
    };
    expect(() => openEvent(impossible)).toThrow(SystemError);
    expect(() => openEvent(impossible)).toThrow(
      'perf_event_open(breakpoint write 8 at 0x1, 0, -1, -1, 8): EINVAL',
    );
  });
});
