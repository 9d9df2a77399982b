import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ThreadTrace } from '../../model/trace.ts';
import {
  FURTHER_OPS,
  PLAIN_OPS,
  play,
  SHARED_OPS,
  wishes,
} from '../../std/testdata/random-trace.ts';
import { classOfOp } from '../access-class.ts';
import { orderBy } from '../testdata/brute-order.ts';
import { isByAtomic, isByLock, isKept } from '../testdata/direct-edges.ts';
import { areRivals, eventsOf, traceOf, unfolded } from '../testdata/events.ts';
import { focusedTraces } from '../testdata/focused-traces.ts';
import { racesByClosure } from '../testdata/plain-closure.ts';
import { racesByReordering } from '../testdata/reorderings.ts';
import { type Limits, SyncPreservingRung } from './rung.ts';

function pairsOn(trace: ThreadTrace, limits: Limits = {}): string[] {
  const rung = new SyncPreservingRung(trace, { mostPerVariable: 1000, ...limits });
  for (const chunk of trace.chunks()) rung.look(chunk);
  return [...rung.found.all()].map(({ first, second }) => `${first.event} ${second.event}`);
}

/** For each access, thread and class of accesses before it, the earliest that races with it. */
function earliestOf(trace: ThreadTrace, races: Iterable<string>): string[] {
  const events = eventsOf(trace);
  const earliest = new Map<string, string>();
  const pairs = [...races].map((pair) => pair.split(' ').map(Number) as [number, number]);
  for (const [i, j] of pairs.sort((a, b) => a[0] - b[0])) {
    const key = `${j} ${events[i]!.thread} ${classOfOp[events[i]!.op]}`;
    if (!earliest.has(key)) earliest.set(key, `${i} ${j}`);
  }
  return [...earliest.values()];
}

const byDefinition = (trace: ThreadTrace): Set<string> =>
  racesByReordering(eventsOf(trace), { preservesSync: true, keepsWakeups: true, keepsReads: true });

const allOps = [...PLAIN_OPS, ...SHARED_OPS, ...FURTHER_OPS];
const allTraces = wishes(allOps, 24).map((list) => unfolded(play(list)));
const traces = [['everything', allTraces] as const, ...focusedTraces(24)] as const;
/** Orders in which anybody may be woken are very many. */
const shortTraces = focusedTraces(16);

describe('sync-preserving races', () => {
  for (const [about, some] of traces) {
    it(`are exactly those of the definition: ${about}`, () => {
      fc.assert(
        fc.property(some, (trace) => {
          const races = byDefinition(trace);
          const found = pairsOn(trace);
          expect(found.filter((pair) => !races.has(pair))).toEqual([]);
          expect(found).toEqual(expect.arrayContaining(earliestOf(trace, races)));
        }),
        { numRuns: 250 },
      );
    });

    it(`have all races by happens-before of the first access that has any: ${about}`, () => {
      fc.assert(
        fc.property(some, (trace) => {
          const events = eventsOf(trace);
          const before = orderBy(events, [isKept, isByLock, isByAtomic]);
          const rivals = (j: number): number[] =>
            [...Array(j).keys()].filter(
              (i) => areRivals(events[i]!, events[j]!) && !before[j]!.has(i),
            );
          const first = [...events.keys()].find((j) => rivals(j).length > 0);
          if (first === undefined) return;
          const races = byDefinition(trace);
          expect(rivals(first).filter((i) => !races.has(`${i} ${first}`))).toEqual([]);
        }),
        { numRuns: 100 },
      );
    });
  }

  for (const [about, some] of shortTraces) {
    it(`are races of some correct reordering, whatever the locks do in it: ${about}`, () => {
      fc.assert(
        fc.property(some, (trace) => {
          const rules = { preservesSync: false, keepsWakeups: false, keepsReads: true };
          const races = racesByReordering(eventsOf(trace), rules);
          expect(pairsOn(trace).filter((pair) => !races.has(pair))).toEqual([]);
        }),
        { numRuns: 100 },
      );
    });
  }

  for (const [about, some] of focusedTraces(70)) {
    it(`are those that a plain closure finds in longer traces: ${about}`, () => {
      fc.assert(
        fc.property(some, (trace) => {
          const races = racesByClosure(eventsOf(trace));
          const found = pairsOn(trace);
          const earliest = earliestOf(trace, races);
          expect(found.filter((pair) => !races.has(pair))).toEqual([]);
          expect(earliest.filter((pair) => !found.includes(pair))).toEqual([]);
          for (const stepsWorthKeeping of [0, 1, Number.POSITIVE_INFINITY]) {
            expect(pairsOn(trace, { stepsWorthKeeping })).toEqual(found);
          }
        }),
        { numRuns: 20 },
      );
    });
  }

  it('are none where somebody has to finish a section that read the write before it', () => {
    const written = ['0 write 0', '0 write 1'];
    const section = ['1 acquire 0', '1 write 2', '1 read 1', '1 release 0'];
    const others = ['2 acquire 0', '2 release 0', '2 read 2', '2 write 0'];
    expect(pairsOn(traceOf(...written, ...section, ...others))).toEqual(['1 4']);
  });

  it('are none under a lock that was held when the trace began', () => {
    const trace = ['0 write 0', '0 release 0', '1 acquire 0', '1 write 0'];
    expect(pairsOn(traceOf(...trace))).toEqual([]);
  });

  it('are found where a lock hides them from happens-before', () => {
    const trace = ['0 write 0', '0 acquire 0', '0 release 0'];
    const others = ['1 acquire 0', '1 release 0', '1 write 0'];
    expect(pairsOn(traceOf(...trace, ...others))).toEqual(['0 5']);
  });

  it('are none where a read needs the write before it', () => {
    const trace = ['0 write 0', '0 acquire 0', '0 write 1', '0 release 0'];
    const others = ['1 acquire 0', '1 read 1', '1 release 0', '1 write 0'];
    expect(pairsOn(traceOf(...trace, ...others))).toEqual([]);
  });
});
