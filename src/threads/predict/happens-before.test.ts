import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ThreadTrace } from '../model/trace.ts';
import { FURTHER_OPS, PLAIN_OPS, play, SHARED_OPS, wishes } from '../std/testdata/random-trace.ts';
import { classOfOp } from './access-class.ts';
import { HappensBeforeRung } from './happens-before.ts';
import { orderBy } from './testdata/brute-order.ts';
import { isByAtomic, isByLock, isKept } from './testdata/direct-edges.ts';
import { areRivals, eventsOf, traceOf, unfolded } from './testdata/events.ts';
import { focusedTraces } from './testdata/focused-traces.ts';

function rungOn(trace: ThreadTrace): HappensBeforeRung {
  const rung = new HappensBeforeRung(trace);
  for (const chunk of trace.chunks()) rung.look(chunk);
  return rung;
}

function pairsOn(trace: ThreadTrace): string[] {
  return [...rungOn(trace).found.all()].map(
    ({ first, second }) => `${first.event} ${second.event}`,
  );
}

/** All unordered pairs, and those of them with an access that nothing of its class comes after. */
function byTheBook(trace: ThreadTrace): { all: string[]; last: string[] } {
  const events = eventsOf(trace);
  const before = orderBy(events, [isKept, isByLock, isByAtomic]);
  const all: string[] = [];
  const last: string[] = [];
  for (const [j, two] of events.entries()) {
    for (const [i, one] of events.slice(0, j).entries()) {
      if (!areRivals(one, two) || before[j]!.has(i)) continue;
      all.push(`${i} ${j}`);
      const isHidden = [...events.keys()].some(
        (k) =>
          k > i &&
          k < j &&
          events[k]!.target === one.target &&
          classOfOp[events[k]!.op] === classOfOp[one.op] &&
          before[k]!.has(i),
      );
      if (!isHidden) last.push(`${i} ${j}`);
    }
  }
  return { all, last };
}

const traces = wishes([...PLAIN_OPS, ...SHARED_OPS, ...FURTHER_OPS], 40).map((list) =>
  unfolded(play(list)),
);

describe('races by happens-before', () => {
  for (const [about, some] of [['everything', traces] as const, ...focusedTraces(24)]) {
    it(`are those that nothing orders, with the last accesses before each: ${about}`, () => {
      fc.assert(
        fc.property(some, (trace) => {
          expect(pairsOn(trace).sort()).toEqual(byTheBook(trace).last.sort());
        }),
        { numRuns: 250 },
      );
    });
  }

  it('are none over a thread that was forked and joined without having done anything', () => {
    expect(pairsOn(traceOf('1 read 0', '1 fork 2', '0 join 2', '0 write 0'))).toEqual([]);
  });

  it('are found at every access that races with any', () => {
    const seconds = (pairs: readonly string[]) => new Set(pairs.map((pair) => pair.split(' ')[1]));
    fc.assert(
      fc.property(traces, (trace) => {
        expect(seconds(pairsOn(trace))).toEqual(seconds(byTheBook(trace).all));
      }),
    );
  });

  it('are folded by variable and sites', () => {
    const trace = traceOf('0 write 0', '1 write 0', '0 write 0', '1 write 0', '1 write 1');
    const folded = traceOf();
    for (const [i, { thread, op, target }] of eventsOf(trace).entries()) {
      folded.append(thread, op, target, [7, 8, 7, 8, 7][i]!);
    }
    expect([...rungOn(folded).found.all()]).toEqual([
      {
        variable: 0,
        first: { event: 0, thread: 0, op: 1, site: 7 },
        second: { event: 1, thread: 1, op: 1, site: 8 },
        occurrences: 3,
      },
    ]);
  });

  it('respect a lock', () => {
    const section = (thread: number) =>
      [`${thread} acquire 0`, `${thread} write 0`, `${thread} release 0`] as const;
    expect(pairsOn(traceOf(...section(0), ...section(1)))).toEqual([]);
    expect(pairsOn(traceOf(...section(0), '1 write 0'))).toEqual(['1 3']);
  });
});
