/** The ladder with the search through CSP models on it: the rungs agree, and each witness leads to its race. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RaceSearcher } from '../csp/search-race.ts';
import { bruteForce, leadsThere } from '../csp/testdata/brute-force.ts';
import { play, wishes } from '../csp/testdata/random-program.ts';
import { opNames } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import { HappensBeforeRung } from './happens-before.ts';
import { type PredictOptions, predictRaces } from './predict-races.ts';
import type { AccessPair } from './race.ts';
import { SyncPreservingRung } from './sync-preserving/rung.ts';
import { areRivals, eventsOf, traceOf, unfolded } from './testdata/events.ts';

const MOST_STATES = 200_000;
const FOR_EVER = { budgetMs: Number.POSITIVE_INFINITY, mostStatesEach: MOST_STATES };

const someTrace = wishes(16).map((list) => unfolded(play(list)));
const nameOf = ({ first, second }: AccessPair): string => `${first.event} ${second.event}`;

/** For people who look at a failure. */
function described(trace: ThreadTrace): string {
  const lines = eventsOf(trace).map(
    ({ thread, op, target }, event) => `${event} T${thread} ${opNames[op]} ${target}`,
  );
  return `\n${lines.join('\n')}\n`;
}

/** All pairs for which the search finds an order. */
function racesBySearch(trace: ThreadTrace, sound: boolean): string[] {
  const searcher = new RaceSearcher(trace);
  const events = eventsOf(trace);
  return events.flatMap((one, i) =>
    events.flatMap((other, j) => {
      if (i >= j || !areRivals(one, other)) return [];
      const { kind } = searcher.searchPair(i, j, { sound, mostStates: MOST_STATES });
      return kind === 'race' ? [`${i} ${j}`] : [];
    }),
  );
}

describe('what is told', () => {
  it.each([false, true])('is what the search finds, on whichever rung (sound: %s)', (sound) => {
    fc.assert(
      fc.property(someTrace, (trace) => {
        const predicted = predictRaces(trace, { sound, ...FOR_EVER });
        // Where there is too much on a variable, some of it is left out.
        fc.pre(predicted.crowdedVariables === 0 && predicted.unfolded === 0);
        const bySearch = racesBySearch(trace, sound).sort();
        expect(predicted.races.map(nameOf).sort(), described(trace)).toEqual(bySearch);
        expect(predicted.undecided).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('is found by the search, too, if a cheaper rung says that it is certain', () => {
    fc.assert(
      fc.property(someTrace, (trace) => {
        const [bySync, byOrder] = [new SyncPreservingRung(trace), new HappensBeforeRung(trace)];
        for (const chunk of trace.chunks()) {
          bySync.look(chunk);
          byOrder.look(chunk);
        }
        const searcher = new RaceSearcher(trace);
        const kindOf = ({ first, second }: AccessPair, sound: boolean): string =>
          searcher.searchPair(first.event, second.event, { sound, mostStates: MOST_STATES }).kind;
        for (const pair of bySync.found.all()) {
          const about = `${nameOf(pair)} in ${described(trace)}`;
          expect([kindOf(pair, false), kindOf(pair, true)], about).toEqual(['race', 'race']);
        }
        for (const pair of byOrder.found.all()) {
          expect(kindOf(pair, false), `${nameOf(pair)} in ${described(trace)}`).toBe('race');
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a witness', () => {
  function expectToLead(trace: ThreadTrace, options: PredictOptions): void {
    const { sound } = options;
    for (const { first, second, path } of predictRaces(trace, options).races) {
      const order = path.steps.map(({ event }) => event);
      const range = { sound, from: path.recordedUntil, to: trace.length };
      const about = `${first.event} and ${second.event} by ${order} in ${described(trace)}`;
      expect(path.stepCount).toBe(order.length);
      expect(path.racing.map(({ event }) => event)).toEqual([first.event, second.event]);
      expect(leadsThere(trace, order, first.event, second.event, range), about).toBe(true);
      if (!path.isShortest) continue;
      const shortest = bruteForce(trace, first.event, second.event, range);
      expect(order.length, about).toBe(shortest);
    }
  }

  it.each([false, true])('leads to its race, and is the shortest (sound: %s)', (sound) => {
    fc.assert(
      fc.property(someTrace, (trace) => expectToLead(trace, { sound, ...FOR_EVER })),
      { numRuns: 100 },
    );
  });

  it.each([false, true])(
    'leads there if there was no time to search for it, or only windows (sound: %s)',
    (sound) => {
      fc.assert(
        fc.property(someTrace, fc.integer({ min: 2, max: 16 }), (trace, windowLength) => {
          expectToLead(trace, { sound, budgetMs: 0 });
          expectToLead(trace, { sound, ...FOR_EVER, windowLength });
        }),
        { numRuns: 100 },
      );
    },
  );

  it('has as many of its last steps as are asked for', () => {
    const lines = ['0 acquire 0', '0 release 0', '0 acquire 1', '0 release 1', '0 write 0'];
    const trace = unfolded(traceOf(...lines, '1 write 0'));
    trace.tables.variables.add({ address: 0, size: 4, allocation: 0xffffffff, symbol: 'x' });
    for (const budgetMs of [0, FOR_EVER.budgetMs]) {
      const [race] = predictRaces(trace, { sound: false, budgetMs }).races;
      expect(race!.path.stepCount).toBe(4);
      expect(race!.path.lastSteps(3).map(({ event }) => event)).toEqual([1, 2, 3]);
      expect(race!.path.lastSteps(9)).toHaveLength(4);
      expect(race!.path.lastSteps(0)).toEqual([]);
    }
  });
});
