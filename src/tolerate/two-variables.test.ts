import { describe, expect, it } from 'vitest';
import { ACCESS_SHAPES, type Access, type AccessShape, shapeOf } from './access-shapes.ts';
import { resolutionOf } from './oracle.ts';
import { raceClass } from './race-class.ts';
import {
  accessSequences,
  allowedOrders,
  outcomeOf,
  type Step,
  steps,
} from './testdata/interleavings.ts';
import { actionOn, type Intervention, isReordered } from './two-variables.ts';

/** What the section does to P and to Q before the other comes, and after it. */
interface SectionAccesses {
  readonly before: readonly [Access, string][];
  readonly after: readonly [Access, string][];
}

/** Each variable is touched before and after, so that whatever the other does is between. */
function* sections(): Generator<SectionAccesses> {
  const both: Access[] = ['r', 'w'];
  for (const p1 of both)
    for (const q1 of both)
      for (const p2 of both)
        for (const q2 of both)
          yield {
            before: [
              [p1, 'P'],
              [q1, 'Q'],
            ],
            after: [
              [p2, 'P'],
              [q2, 'Q'],
            ],
          };
}

function interventionOn(
  variable: string,
  section: SectionAccesses,
  shape: AccessShape,
): Intervention {
  const shapeIn = (part: SectionAccesses['before']): AccessShape =>
    shapeOf(part.filter(([, name]) => name === variable).map(([access]) => access))!;
  return { shape, race: raceClass(shapeIn(section.before), shape, shapeIn(section.after)) };
}

/** A variable keeps its order, and a write comes after all that was read before it. */
const isDependent = (first: Step, second: Step): boolean =>
  first.variable === second.variable || (first.access === 'r' && second.access === 'w');

/** Whether some order of the other's accesses that respects what hangs on what, around the section, explains it. */
function isExplained(outcome: string, section: readonly Step[], other: readonly Step[]): boolean {
  for (const order of allowedOrders(other, isDependent)) {
    for (let cut = 0; cut <= order.length; cut++) {
      if (outcomeOf([...order.slice(0, cut), ...section, ...order.slice(cut)]) === outcome) {
        return true;
      }
    }
  }
  return false;
}

/** For each pair of shapes: whether all that is tolerated is explained, by whether it was reordered. */
function explained(): Map<string, boolean> {
  const results = new Map<string, boolean>();
  for (const section of sections()) {
    const own = steps('section', [...section.before, ...section.after]);
    // What hangs on P in the end may be a read after its write: three accesses are needed to see it.
    for (const onP of accessSequences(3)) {
      for (const onQ of accessSequences(2)) {
        const p = interventionOn('P', section, shapeOf(onP)!);
        const q = interventionOn('Q', section, shapeOf(onQ)!);
        if (p.race === undefined || q.race === undefined) continue;
        if (resolutionOf(p.race) === 'none' || resolutionOf(q.race) === 'none') continue;
        const other = steps('other', [
          ...onP.map((access): [Access, string] => [access, 'P']),
          ...onQ.map((access): [Access, string] => [access, 'Q']),
        ]);
        const resolve = (variable: string): 'own' | 'current' =>
          resolutionOf((variable === 'P' ? p : q).race!) === 'own' ? 'own' : 'current';
        const order = [...own.slice(0, 2), ...other, ...own.slice(2)];
        const outcome = outcomeOf(order, { thread: 'section', resolve });
        const key = `${p.shape} ${q.shape} ${isReordered(p, q) ? 'reordered' : 'in order'} ${actionOn(p, q)}`;
        results.set(key, (results.get(key) ?? true) && isExplained(outcome, own, other));
      }
    }
  }
  return results;
}

describe('two variables, as in table 3', () => {
  it('are tolerated where an order explains it, and told where there is none', () => {
    const results = explained();
    expect(results.size).toBeGreaterThan(9);
    for (const [key, isRight] of results) {
      expect([key, isRight]).toEqual([key, key.endsWith('tolerate')]);
    }
  });

  it('comes to the actions of the paper', () => {
    const rows = ACCESS_SHAPES.flatMap((q) =>
      ACCESS_SHAPES.map((p) => {
        const action = (shape: AccessShape, race: 'IVa' | 'IVb'): Intervention => ({
          shape,
          race: shape === 'r+wx*' ? race : undefined,
        });
        return [
          `${p} ${q}`,
          actionOn(action(p, 'IVa'), action(q, 'IVb')),
          actionOn(action(p, 'IVb'), action(q, 'IVa')),
        ];
      }),
    );
    expect(rows.filter(([, worst]) => worst === 'detect').map(([pair]) => pair)).toEqual([
      'wx* r+wx*',
      'r+wx* r+wx*',
    ]);
    expect(rows.every(([, , best]) => best === 'tolerate')).toBe(true);
  });
});
