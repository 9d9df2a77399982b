import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitted, moved, positionAt, xOf, zoomed } from './view.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

it('fits what is asked for into the width', () => {
  const view = fitted(100, 200, 800);
  expect([xOf(view, 100), xOf(view, 200)]).toEqual([0, 800]);
});

it('keeps what is under the pointer there while it zooms', () => {
  const whole = { end: 10_000, width: 800 };
  fc.assert(
    fc.property(number(0, 800), number(0.5, 2), (x, factor) => {
      const view = fitted(4000, 6000, 800);
      const under = positionAt(view, x);
      expect(xOf(zoomed(view, x, factor, whole), under)).toBeCloseTo(x, 6);
    }),
  );
});

it('never loses sight of everything', () => {
  const whole = { end: 500, width: 800 };
  const action = fc.oneof(
    fc.record({ x: number(0, 800), factor: number(0.01, 100) }),
    fc.record({ pixels: number(-1e6, 1e6) }),
  );
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      let view = fitted(0, 500, 800);
      for (const one of actions) {
        view =
          'pixels' in one ? moved(view, one.pixels, whole) : zoomed(view, one.x, one.factor, whole);
        expect(xOf(view, 0)).toBeLessThanOrEqual(401);
        expect(xOf(view, 500)).toBeGreaterThanOrEqual(399);
      }
    }),
  );
});
