import { describe, expect, it } from 'vitest';
import { tid } from '../linux/ids.ts';
import { Newcomers } from './newcomers.ts';

describe('newcomers', () => {
  const [one, other] = [tid(7), tid(8)];

  it('are expected between the stop that tells of them and their own, whichever comes first', () => {
    const newcomers = new Newcomers();
    newcomers.announced(one);
    expect(newcomers.areExpected).toBe(true);
    newcomers.arrived(one);
    expect(newcomers.areExpected).toBe(false);
    newcomers.arrived(other);
    newcomers.announced(other);
    expect(newcomers.areExpected).toBe(false);
  });

  it('may die on the way, and their numbers be used again', () => {
    const newcomers = new Newcomers();
    newcomers.announced(one);
    newcomers.gone(one);
    expect(newcomers.areExpected).toBe(false);
    newcomers.announced(one);
    expect(newcomers.areExpected).toBe(true);
  });
});
