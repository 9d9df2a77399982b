/**
 * Only synchronisation that makes samples known to others is logged (agent/sampling/news.h): what comes of that is
 * the same order as if all of it were, for all samples of random histories.
 */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogOp } from '../src/linux/agent-protocol.ts';
import { ThreadOrder } from '../src/sample/analyse/logs/thread-order.ts';
import { sampledProgram } from './harness/sampling-run.ts';

/** The last two have numbers that are not followed. */
const THREADS = 6;
const OBJECTS = 4;

const operation = fc.record({
  what: fc.constantFrom('sample' as const, 'said' as const, 'heard' as const),
  thread: fc.integer({ min: 1, max: THREADS }),
  object: fc.integer({ min: 1, max: OBJECTS }),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const operations = fc.oneof(
  fc.array(operation, { minLength: 20, maxLength: 80 }),
  // Two objects take each other's place again and again.
  fc.array(
    operation.map((one) => ({
      ...{ what: one.what, thread: 1 + (one.thread % 4), object: Math.min(one.object, 3) },
    })),
    { minLength: 60, maxLength: 80 },
  ),
  // Few threads meet again and again.
  fc.array(
    operation.map((one) => ({ ...one, thread: 1 + (one.thread % 2), object: 3 })),
    { minLength: 20, maxLength: 80 },
  ),
);

/** Of each pair of samples, whether the first is known to come before the second. */
function orderOf(history: readonly Operation[]): boolean[] {
  const order = new ThreadOrder(THREADS);
  const segments: { thread: number; segment: number }[] = [];
  for (const { what, thread, object } of history) {
    if (what === 'sample') segments.push({ thread, segment: order.segmentOf(thread - 1) });
    else {
      const op = what === 'said' ? LogOp.DH_OP_POST : LogOp.DH_OP_WAIT_DONE;
      order.operation(thread - 1, thread, op, BigInt(object), 0);
    }
  }
  return segments.flatMap((one, at) =>
    segments
      .slice(at + 1)
      .map((other) => one.thread === other.thread || order.comesBefore(one.segment, other.segment)),
  );
}

function loggedOf(program: string, history: readonly Operation[]): Operation[] {
  const input = history.map(({ what, thread, object }) => `${what} ${thread} ${object}\n`).join('');
  const told = execFileSync(program, { input, encoding: 'utf8' });
  return history.filter((_, at) => told[at] === '1');
}

it('the order of all samples is the same, whether everything is logged or what is new', () => {
  const program = sampledProgram('news-history.c');
  let [left, all] = [0, 0];
  fc.assert(
    fc.property(operations, (history) => {
      const logged = loggedOf(program, history);
      all += history.length;
      left += logged.length;
      expect(orderOf(logged)).toEqual(orderOf(history));
    }),
    { numRuns: 600 },
  );
  expect(left).toBeLessThan(0.9 * all);
});

it('nothing is logged of threads that hand something to and fro while nobody is sampled', () => {
  const program = sampledProgram('news-history.c');
  const round = [
    { what: 'said', thread: 1, object: 3 },
    { what: 'heard', thread: 2, object: 3 },
    { what: 'said', thread: 2, object: 4 },
    { what: 'heard', thread: 1, object: 4 },
  ] as const;
  const rounds = (count: number): Operation[] => Array.from({ length: count }, () => round).flat();
  const sample = { what: 'sample', thread: 2, object: 1 } as const;
  expect(loggedOf(program, rounds(1000))).toHaveLength(5);
  expect(loggedOf(program, [...rounds(1000), sample, ...rounds(1000)])).toHaveLength(5 + 1 + 3);
});
