import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ThreadTrace } from '../model/trace.ts';
import { Candidates } from './candidates/candidates.ts';
import { predict } from './predict.ts';
import type { AccessPair } from './race.ts';
import { newSitesFirst, type Search } from './search-rung.ts';
import { eventsOf, traceOf } from './testdata/events.ts';
import { focusedTraces } from './testdata/focused-traces.ts';
import { racesByReordering } from './testdata/reorderings.ts';

const nameOf = ({ first, second }: AccessPair): string => `${first.event} ${second.event}`;

/** In any order that locks and the like allow, whatever is read: as much as can be hoped for. */
const inAnyOrder = (trace: ThreadTrace): Set<string> =>
  racesByReordering(eventsOf(trace), {
    preservesSync: false,
    keepsWakeups: false,
    keepsReads: false,
  });

describe('candidates', () => {
  for (const [about, traces] of focusedTraces(16)) {
    it(`are all that race in any order: ${about}`, () => {
      fc.assert(
        fc.property(traces, (trace) => {
          const candidates = new Candidates(trace);
          for (const chunk of trace.chunks()) candidates.look(chunk);
          const named = new Set([...candidates.all()].map(([pair]) => nameOf(pair)));
          expect([...inAnyOrder(trace)].filter((pair) => !named.has(pair))).toEqual([]);
        }),
        { numRuns: 150 },
      );
    });
  }

  it('are none under a common lock, after a join, or after a barrier of the same threads', () => {
    const none = (...lines: string[]) => expect(predict(traceOf(...lines)).undecided).toEqual([]);
    none('0 acquire 0', '0 write 0', '0 release 0', '1 acquire 0', '1 write 0', '1 release 0');
    none('0 fork 1', '1 write 0', '0 join 1', '0 write 0');
    none('0 write 0', '0 arrive 0', '1 arrive 0', '1 leave 0', '0 leave 0', '1 write 0');
  });

  it('say so when a variable has too many of them', () => {
    const writes = Array.from({ length: 40 }, (_, i) => `${i % 2} write 0`);
    expect(predict(traceOf(...writes)).crowdedVariables).toBe(1);
    expect(predict(traceOf(...writes.slice(0, 8))).crowdedVariables).toBe(0);
  });

  it('are searched with new pairs of sites first', () => {
    const access = (site: number) => ({ event: site, thread: 0, op: 1, site });
    const candidate = (variable: number, one: number, other: number) =>
      [{ variable, first: access(one), second: access(other) }] as const;
    const order = newSitesFirst([candidate(0, 1, 2), candidate(1, 2, 1), candidate(2, 1, 3)]);
    expect(order.map(([{ variable }]) => variable)).toEqual([0, 2, 1]);
  });
});

describe('the ladder', () => {
  const hidden = ['0 write 0', '0 acquire 0', '0 release 0'];
  const after = ['1 acquire 0', '1 release 0', '1 write 0'];

  it('tells each race on the first rung that finds it', () => {
    const { races } = predict(traceOf(...hidden, ...after, '2 write 0'));
    expect(races.map((race) => [nameOf(race), race.rung, race.isCertain])).toEqual([
      ['5 6', 'happens-before', true],
      ['0 5', 'sync-preserving', true],
      ['0 6', 'sync-preserving', true],
    ]);
  });

  it('says which races by happens-before may be consequences of others', () => {
    const { races } = predict(traceOf('0 write 0', '0 write 1', '1 read 1', '1 write 0'));
    expect(races.map((race) => [nameOf(race), race.isCertain])).toEqual([
      ['1 2', true],
      ['0 3', false],
    ]);
  });

  it('searches what is left, within its means', () => {
    const trace = traceOf('0 write 0', '0 atomic-update 1', '1 atomic-update 1', '1 write 0');
    const asked: [string, number][] = [];
    const search =
      (kind: 'race' | 'none' | 'undecided'): Search<string> =>
      (pair, mostStates) => {
        asked.push([nameOf(pair), mostStates]);
        return { kind, witness: 'so', states: 10 };
      };
    const found = predict(trace, { search: search('race'), mostStatesEach: 7 });
    expect(found.races).toMatchObject([{ rung: 'search', witness: 'so', variable: 0 }]);
    expect(asked).toEqual([['0 3', 7]]);
    expect(predict(trace, { search: search('none') })).toMatchObject({
      races: [],
      cleared: [expect.anything()],
    });
    for (const options of [
      {},
      { search: search('undecided') },
      { search: search('race'), mostStates: 0 },
    ]) {
      const { races, undecided } = predict<string>(trace, options);
      expect(races).toEqual([]);
      expect(undecided.map(([pair]) => nameOf(pair))).toEqual(['0 3']);
    }
  });

  it('gives more to those that need it, once all others have been looked at', () => {
    const pair = (x: number) => [
      `0 write ${x}`,
      `0 atomic-update ${x + 1}`,
      `1 atomic-update ${x + 1}`,
      `1 write ${x}`,
    ];
    const asked: [string, number][] = [];
    // The first one needs 100 states, the second one none at all, and the third one never ends for other reasons.
    const search: Search<null> = (one, mostStates) => {
      asked.push([nameOf(one), mostStates]);
      if (one.variable === 4) return { kind: 'undecided', states: 3 };
      if (one.variable === 2) return { kind: 'none', states: 0 };
      return mostStates < 100
        ? { kind: 'undecided', states: mostStates }
        : { kind: 'race', states: 100, witness: null };
    };
    const trace = traceOf(...pair(0), ...pair(2), ...pair(4));
    const { races, undecided, cleared } = predict(trace, { search, mostStatesEach: 10 });
    expect(asked).toEqual([
      ['0 3', 10],
      ['4 7', 10],
      ['8 11', 10],
      ['0 3', 80],
      ['0 3', 640],
    ]);
    expect([races.length, undecided.length, cleared.length]).toEqual([1, 1, 1]);
  });

  for (const [about, traces] of focusedTraces(16)) {
    it(`finds all that race in any order, if the search does: ${about}`, () => {
      fc.assert(
        fc.property(traces, (trace) => {
          const all = inAnyOrder(trace);
          const search: Search<null> = (pair) => {
            const kind = all.has(nameOf(pair)) ? 'race' : 'none';
            return { kind, witness: null, states: 1 };
          };
          const { races, undecided } = predict(trace, { search });
          const found = new Set(races.map(nameOf));
          expect([...all].filter((pair) => !found.has(pair))).toEqual([]);
          expect(undecided).toEqual([]);
          const certain = races.filter(({ isCertain, rung }) => isCertain || rung === 'search');
          expect(certain.map(nameOf).filter((pair) => !all.has(pair))).toEqual([]);
        }),
        { numRuns: 100 },
      );
    });
  }
});
