/** The searches on random small traces: the general engine, the fast one and brute force agree. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE, Op, opNames } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import { plainOrder } from '../std/testdata/plain-order.ts';
import { refines } from './algebra/refinement.ts';
import type { Script } from './algebra/script.ts';
import { Semantics } from './algebra/semantics.ts';
import { parseCspm } from './cspm/parser.ts';
import { printCspm } from './cspm/printer.ts';
import { exportModel } from './export-model.ts';
import { accessOf, isConflict } from './program/conflict.ts';
import { eventsOfCounterexample } from './program/counterexample.ts';
import { type RaceModel, RaceModels } from './program/race-model.ts';
import { toScript } from './program/to-script.ts';
import { TraceSteps } from './program/trace-steps.ts';
import type { Window } from './race-search.ts';
import { Machine } from './search/machine.ts';
import { RaceSearcher } from './search-race.ts';
import { bruteForce } from './testdata/brute-force.ts';
import { play, wishes } from './testdata/random-program.ts';

const MOST_STATES = 200_000;

/** All pairs of accesses in the window that would be a race. */
function candidates(trace: ThreadTrace, { from, to }: Window): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let second = from; second < to; second++) {
    for (let first = from; first < second; first++) {
      if (trace.opAt(first) > 4 || trace.opAt(second) > 4) continue;
      if (trace.targetAt(first) !== trace.targetAt(second)) continue;
      if (trace.threadAt(first) === trace.threadAt(second)) continue;
      if (!isConflict(accessOf(trace.opAt(first)), accessOf(trace.opAt(second)))) continue;
      pairs.push([first, second]);
    }
  }
  return pairs;
}

/** Whether the model allows the events, one after the other, and then stands at the race. */
function leadsToRace(model: RaceModel, order: readonly number[]): boolean {
  const machine = new Machine(model);
  const isReached = (row: Int32Array, done: number): boolean => {
    if (done === order.length && machine.isRace(row)) return true;
    return machine.chains.some((_, chain) => {
      const step = machine.next(row, chain);
      if (step === undefined || !machine.isEnabled(row, chain)) return false;
      if (step.event !== NONE && step.event !== order[done]) return false;
      const wakes = machine.wakes(row, chain);
      return (wakes.length === 0 ? [undefined] : wakes).some((wake) => {
        const next = row.slice();
        machine.take(next, chain, wake);
        return isReached(next, step.event === NONE ? done : done + 1);
      });
    });
  };
  return isReached(machine.start, 0);
}

/** For people who look at a failure. */
function described(trace: ThreadTrace): string {
  return Array.from({ length: trace.length }, (_, event) => {
    const what = `${opNames[trace.opAt(event)]}(${trace.targetAt(event)})`;
    return `${event} T${trace.threadAt(event)} ${what}`;
  }).join('\n');
}

function isPlain(trace: ThreadTrace, event: number): boolean {
  return trace.opAt(event) === Op.read || trace.opAt(event) === Op.write;
}

function check(script: Script) {
  const claim = script.find((one) => one.kind === 'assert')!;
  const semantics = new Semantics(script);
  return refines(semantics, claim.specification, claim.implementation, MOST_STATES);
}

const someTrace = wishes(30).map(play);
const place = fc.record({
  trace: someTrace,
  sound: fc.boolean(),
  hasWindow: fc.boolean(),
  start: fc.nat(8),
  length: fc.integer({ min: 8, max: 20 }),
});

function windowOf(trace: ThreadTrace, hasWindow: boolean, start: number, length: number): Window {
  if (!hasWindow) return { from: 0, to: trace.length };
  const from = Math.min(start, trace.length);
  return { from, to: Math.min(from + length, trace.length) };
}

describe('a race of two accesses', () => {
  it('is found if and only if brute force finds it, and with a witness as short', () => {
    fc.assert(
      fc.property(place, ({ trace, sound, hasWindow, start, length }) => {
        const window = windowOf(trace, hasWindow, start, length);
        const searcher = new RaceSearcher(trace);
        const models = new RaceModels(trace, new TraceSteps(trace));
        for (const [first, second] of candidates(trace, window).slice(-6)) {
          const options = { sound, window, mostStates: MOST_STATES };
          const wanted = bruteForce(trace, first, second, { sound, ...window });
          const result = searcher.searchPair(first, second, options);
          const about = `${first} and ${second} in\n${described(trace)}\n`;
          expect(result.kind, about).toBe(wanted === undefined ? 'none' : 'race');
          if (result.kind !== 'race') continue;
          const { witness } = result;
          expect(witness).toMatchObject({ racing: [first, second], isShortest: true });
          expect(witness.order.length, about).toBe(wanted);
          expect(leadsToRace(models.ofPair(first, second, options), witness.order)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is told rightly or not at all if there are few states, and its witness still leads there', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 20 }), ({ trace, sound }, mostStates) => {
        const window = { from: 0, to: trace.length };
        const models = new RaceModels(trace, new TraceSteps(trace));
        const searcher = new RaceSearcher(trace);
        for (const [first, second] of candidates(trace, window).slice(-6)) {
          const options = { sound, mostStates };
          const result = searcher.searchPair(first, second, options);
          if (result.kind === 'undecided') continue;
          const wanted = bruteForce(trace, first, second, { sound, ...window });
          const about = `${first} and ${second} in\n${described(trace)}\n`;
          expect(result.kind, about).toBe(wanted === undefined ? 'none' : 'race');
          if (result.kind !== 'race') continue;
          const { order, isShortest } = result.witness;
          expect(leadsToRace(models.ofPair(first, second, options), order), about).toBe(true);
          if (isShortest) expect(order.length, about).toBe(wanted);
          else expect(order.length, about).toBeGreaterThanOrEqual(wanted!);
        }
      }),
      { numRuns: 90 },
    );
  });

  it('is one for the general engine too, after a way through CSPm text', () => {
    fc.assert(
      fc.property(place, ({ trace, sound, hasWindow, start, length }) => {
        const window = windowOf(trace, hasWindow, start, length);
        const searcher = new RaceSearcher(trace);
        const models = new RaceModels(trace, new TraceSteps(trace));
        for (const [first, second] of candidates(trace, window).slice(-2)) {
          const options = { sound, window, mostStates: MOST_STATES };
          const model = models.ofPair(first, second, options);
          const result = searcher.searchPair(first, second, options);
          const script = toScript(model, trace.targetAt(first));
          const about = `${first} and ${second} in\n${described(trace)}\n${printCspm(script)}`;
          expect(parseCspm(printCspm(script)), about).toEqual({ ok: true, value: script });
          const checked = check(script);
          expect(checked.kind, about).toBe(result.kind === 'race' ? 'fails' : 'holds');
          if (checked.kind !== 'fails') continue;
          const order = eventsOfCounterexample(model, checked.steps);
          expect(leadsToRace(model, order), about).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('a race by happens-before', () => {
  it('is one for the search too, in some order', () => {
    fc.assert(
      fc.property(someTrace, (trace) => {
        const ordered = plainOrder(trace, () => false);
        const events = Array.from({ length: trace.length }, (_, event) => event);
        const plain = events.filter((event) => isPlain(trace, event));
        const searcher = new RaceSearcher(trace);
        const pairs = candidates(trace, { from: 0, to: trace.length });
        for (const [first, second] of pairs.filter((pair) =>
          pair.every((event) => isPlain(trace, event)),
        )) {
          if (ordered.has(`${plain.indexOf(first)} before ${plain.indexOf(second)}`)) continue;
          const result = searcher.searchPair(first, second, {
            sound: false,
            mostStates: MOST_STATES,
          });
          expect(result.kind, `${first} and ${second} in\n${described(trace)}\n`).toBe('race');
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('any race of two threads with a variable', () => {
  it('is there if and only if one of its pairs is, as the general engine says', () => {
    fc.assert(
      fc.property(place, fc.nat(2), ({ trace, sound, hasWindow, start, length }, third) => {
        const window = windowOf(trace, hasWindow, start, length);
        const searcher = new RaceSearcher(trace);
        const [one, other] = [0, 1, 2].filter((thread) => thread !== third);
        const accesses = { variable: 0, threads: [one!, other!] as const };
        const options = { sound, window, mostStates: MOST_STATES };
        const pairs = candidates(trace, window).filter(
          ([first, second]) =>
            trace.targetAt(first) === 0 &&
            trace.threadAt(first) !== third &&
            trace.threadAt(second) !== third,
        );
        const lengths = pairs.flatMap(([first, second]) => {
          const found = searcher.searchPair(first, second, options);
          return found.kind === 'race' ? [found.witness.order.length] : [];
        });
        const result = searcher.searchAccesses(accesses, options);
        const about = `T${one} and T${other}, ${sound} in\n${described(trace)}\n`;
        expect(result.kind, about).toBe(lengths.length === 0 ? 'none' : 'race');
        if (result.kind === 'race') {
          const { racing, order } = result.witness;
          expect(order.length, about).toBe(Math.min(...lengths));
          expect(racing.map((event) => trace.threadAt(event))).toEqual(accesses.threads);
          expect(pairs.map((pair) => pair.join())).toContain(
            racing.toSorted((a, b) => a - b).join(),
          );
        }
        const parsed = parseCspm(exportModel(trace, accesses, options));
        if (!parsed.ok) throw parsed.error;
        expect(check(parsed.value).kind, about).toBe(result.kind === 'race' ? 'fails' : 'holds');
      }),
      { numRuns: 150 },
    );
  });
});
