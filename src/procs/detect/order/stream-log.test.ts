import { describe, expect, it } from 'vitest';
import { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';
import { StreamLog } from './stream-log.ts';

const reader = 0 as TaskId;

/** A log whose writers are tasks of their own; writes last from one number to another. */
function logOf(counts = true) {
  const graph = new HappensBeforeGraph();
  graph.add(graph.startTask(undefined), []);
  const log = new StreamLog(graph, counts);
  let clock = 0;
  const write = (bytes: number, entry = ++clock, exit = entry + 0.5): EventId => {
    const event = graph.add(graph.startTask(undefined), []);
    log.write(bytes, { event, entry, exit });
    return event;
  };
  return { log, write };
}

describe('bytes that are counted', () => {
  it('come from the writes that put them there', () => {
    const { log, write } = logOf();
    const [a, b, c] = [write(10), write(10), write(10)];
    expect(log.take(15, reader)).toEqual([a, b]);
    expect(log.take(5, reader)).toEqual([b]);
    expect(log.peek(1, reader)).toEqual([c]);
    expect(log.take(10, reader)).toEqual([c]);
    expect(log.peek(1, reader)).toEqual([]);
    expect(log.take(0, reader)).toEqual([]);
  });

  it('come from all writes that overlapped in time', () => {
    const { log, write } = logOf();
    const alone = write(10, 1, 2);
    const [a, b, c] = [write(10, 3, 9), write(10, 4, 5), write(10, 6, 7)];
    const later = write(10, 10, 11);
    expect(log.take(10, reader)).toEqual([alone]);
    expect(log.take(10, reader)).toEqual([a, b, c]);
    expect(log.take(10, reader)).toEqual([a, b, c]);
    expect(log.take(10, reader)).toEqual([a, b, c]);
    expect(log.take(10, reader)).toEqual([later]);
  });

  it('are no longer counted once more were read than written: all writes may have been meant', () => {
    const { log, write } = logOf();
    const a = write(10);
    expect(log.take(20, reader)).toEqual([a]);
    expect(log.countsBytes).toBe(false);
    const [b, c] = [write(10), write(10)];
    expect(log.take(5, reader)).toEqual([b, c]);
    expect(log.take(5, reader)).toEqual([]);
    expect(log.take(5, 1 as TaskId)).toEqual([a, b, c]);
  });

  it('are found after many others were read and forgotten', () => {
    const { log, write } = logOf();
    for (let i = 0; i < 10_000; i++) {
      const event = write(3);
      expect(log.take(3, reader)).toEqual([event]);
    }
    const [a, b] = [write(3), write(3)];
    expect(log.take(4, reader)).toEqual([a, b]);
  });
});

it('messages are not counted: a reader comes after all of them, but once only', () => {
  const { log, write } = logOf(false);
  const [a, b] = [write(10), write(10)];
  expect(log.take(1, reader)).toEqual([a, b]);
  const c = write(10);
  expect(log.peek(1, reader)).toEqual([c]);
  expect(log.take(1, reader)).toEqual([]);
  expect(log.lastWrite).toBe(c);
});
