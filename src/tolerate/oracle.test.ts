import { describe, expect, it } from 'vitest';
import { ACCESS_SHAPES, type Access, type AccessShape, shapeOf } from './access-shapes.ts';
import {
  areTolerableAtExit,
  type KnownAtExit,
  orderAfter,
  resolutionOf,
  resolveAtExit,
} from './oracle.ts';
import { RACE_CLASSES, type RaceClass, raceClass } from './race-class.ts';
import {
  accessSequences,
  allowedOrders,
  outcomeOf,
  type Step,
  steps,
} from './testdata/interleavings.ts';

const LONGEST = 3;
const VALUES = ['own', 'current'] as const;

/** A section that is cut in two by somebody else. */
interface Case {
  readonly before: readonly Access[];
  readonly between: readonly Access[];
  readonly after: readonly Access[];
  readonly section: readonly Step[];
  readonly other: readonly Step[];
}

const onV = (thread: string, accesses: readonly Access[]): readonly Step[] =>
  steps(
    thread,
    accesses.map((access) => [access, 'V']),
  );

function* cases(): Generator<Case> {
  for (const before of accessSequences(LONGEST)) {
    for (const between of accessSequences(LONGEST)) {
      for (const after of accessSequences(LONGEST)) {
        const section = onV('section', [...before, ...after]);
        yield { before, between, after, section, other: onV('other', between) };
      }
    }
  }
}

const interleaved = ({ before, section, other }: Case): Step[] => [
  ...section.slice(0, before.length),
  ...other,
  ...section.slice(before.length),
];

const serialOutcomes = ({
  section,
  other,
}: Case): { sectionFirst: string; otherFirst: string } => ({
  sectionFirst: outcomeOf([...section, ...other]),
  otherFirst: outcomeOf([...other, ...section]),
});

function isSerial(one: Case, outcome: string): boolean {
  const { sectionFirst, otherFirst } = serialOutcomes(one);
  return outcome === sectionFirst || outcome === otherFirst;
}

const tolerated = (one: Case, value: 'own' | 'current'): string =>
  outcomeOf(interleaved(one), { thread: 'section', resolve: () => value });

const classOf = ({ before, between, after }: Case): RaceClass | undefined =>
  raceClass(shapeOf(before)!, shapeOf(between)!, shapeOf(after)!);

function pairs<T>(of: Iterable<T>): [T, T][] {
  const all = [...of];
  return all.flatMap((one) => all.map((other): [T, T] => [one, other]));
}

const ALL = [...cases()];

describe('race classes, as in table 1', () => {
  it('are races exactly where no order of the threads has the same outcome', () => {
    for (const one of ALL) {
      expect(isSerial(one, outcomeOf(interleaved(one)))).toBe(classOf(one) === undefined);
    }
  });

  it.each<[AccessShape, AccessShape, string[]]>([
    ['r+', 'r+', ['-', '-', '-']],
    ['wx*', 'r+', ['-', 'II', 'II']],
    ['r+wx*', 'r+', ['-', 'II', 'II']],
    ['r+', 'wx*', ['I', 'III', 'I']],
    ['wx*', 'wx*', ['I', '-', 'I']],
    ['r+wx*', 'wx*', ['I', 'III', 'I']],
    ['r+', 'r+wx*', ['IVa', 'IVc', 'IVc']],
    ['wx*', 'r+wx*', ['IVb', 'IVb', 'IVb']],
    ['r+wx*', 'r+wx*', ['IVc', 'IVc', 'IVc']],
  ])('of %s, then %s of the other, are those of the paper', (before, between, expected) => {
    const found = ACCESS_SHAPES.map((after) => raceClass(before, between, after) ?? '-');
    expect(found).toEqual(expected);
  });

  it('knows three shapes, of which each sequence has one', () => {
    expect(shapeOf([])).toBeUndefined();
    const shapes = [...accessSequences(LONGEST)].map(shapeOf);
    expect(new Set(shapes)).toEqual(new Set(ACCESS_SHAPES));
  });
});

describe('resolution, as in table 2', () => {
  const ofClass = (race: RaceClass): Case[] => ALL.filter((one) => classOf(one) === race);

  it.each(RACE_CLASSES)('explains class %s by the order it names, unless none does', (race) => {
    const all = ofClass(race);
    expect(all.length).toBeGreaterThan(0);
    const resolution = resolutionOf(race);
    const right = VALUES.filter((value) =>
      all.every((one) => isSerial(one, tolerated(one, value))),
    );
    if (resolution === 'none') {
      expect(right).toEqual([]);
      // Not even for a single case.
      for (const one of all) {
        expect(VALUES.some((value) => isSerial(one, tolerated(one, value)))).toBe(false);
      }
      return;
    }
    expect(right).toContain(resolution);
    const expected = orderAfter(resolution);
    for (const one of all) {
      const { sectionFirst, otherFirst } = serialOutcomes(one);
      expect(tolerated(one, resolution)).toBe(
        expected === 'section first' ? sectionFirst : otherFirst,
      );
    }
  });

  it('does no harm where there is no race', () => {
    for (const one of ALL.filter((candidate) => classOf(candidate) === undefined)) {
      const isChanged = one.between.includes('w');
      const writes = one.section.some(({ access }) => access === 'w');
      const value = writes && !(isChanged && one.before[0] === 'r') ? 'own' : 'current';
      expect(isSerial(one, tolerated(one, value))).toBe(true);
    }
  });
});

describe('resolution at the end of a section', () => {
  const knownOf = (one: Case, mayDepend: boolean): KnownAtExit => ({
    readsFirst: one.section[0]!.access === 'r',
    writes: one.section.some(({ access }) => access === 'w'),
    isChanged: one.between.includes('w'),
    mayDepend,
  });

  it('is explained by an order whenever it says so', () => {
    for (const one of ALL) {
      const shape = shapeOf(one.between);
      for (const mayDepend of shape === 'r+wx*' ? [true] : [true, false]) {
        const { value, isTolerated } = resolveAtExit(knownOf(one, mayDepend));
        if (isTolerated) expect(isSerial(one, tolerated(one, value))).toBe(true);
      }
    }
  });

  it('is so wherever the accesses of the other come, before the section and between all of its own', () => {
    const mustPrecede = (first: Step, second: Step): boolean => first.thread === second.thread;
    let compared = 0;
    for (const [own, others] of pairs(accessSequences(LONGEST))) {
      const [section, other] = [onV('section', own), onV('other', others)];
      for (const order of allowedOrders([...section, ...other], mustPrecede)) {
        // What is done before the section has a copy is before it in any case.
        const begins = order.findIndex(({ thread }) => thread === 'section');
        const [before, meanwhile] = [other.slice(0, begins), other.slice(begins)];
        const shape = shapeOf(meanwhile.map(({ access }) => access));
        const known = {
          ...{ readsFirst: own[0] === 'r', writes: own.includes('w') },
          isChanged: meanwhile.some(({ access }) => access === 'w'),
        };
        for (const mayDepend of shape === 'r+wx*' ? [true] : [true, false]) {
          const { value, isTolerated } = resolveAtExit({ ...known, mayDepend });
          if (!isTolerated) continue;
          const outcome = outcomeOf(order, { thread: 'section', resolve: () => value });
          expect([
            outcomeOf([...before, ...section, ...meanwhile]),
            outcomeOf([...before, ...meanwhile, ...section]),
          ]).toContain(outcome);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });

  it('gives up only where no value is right for all that it may have been', () => {
    const groups = new Map<string, Case[]>();
    for (const one of ALL) {
      for (const mayDepend of [true, false]) {
        if (!mayDepend && shapeOf(one.between) === 'r+wx*') continue;
        const key = JSON.stringify(knownOf(one, mayDepend));
        groups.set(key, [...(groups.get(key) ?? []), one]);
      }
    }
    for (const [key, all] of groups) {
      const isPossible = VALUES.some((value) =>
        all.every((one) => isSerial(one, tolerated(one, value))),
      );
      expect([key, areTolerableAtExit(JSON.parse(key))]).toEqual([key, isPossible]);
    }
  });

  it('names the classes that it may have been, and no others', () => {
    const seen = new Map<string, Set<RaceClass>>();
    for (const one of ALL) {
      const race = classOf(one);
      for (const mayDepend of [true, false]) {
        const known = knownOf(one, mayDepend);
        if (!known.isChanged || (!mayDepend && shapeOf(one.between) === 'r+wx*')) continue;
        const key = JSON.stringify(known);
        const classes = seen.get(key) ?? new Set();
        if (race !== undefined) classes.add(race);
        seen.set(key, classes);
      }
    }
    for (const [key, classes] of seen) {
      expect([...resolveAtExit(JSON.parse(key)).races]).toEqual([...classes].sort());
    }
  });

  it('leaves memory as it is where it cannot be right', () => {
    const lost = { readsFirst: true, writes: true, isChanged: true, mayDepend: true };
    expect(resolveAtExit(lost)).toEqual({
      value: 'current',
      races: ['I', 'III', 'IVc'],
      isTolerated: false,
    });
  });
});
