import { describe, expect, it } from 'vitest';
import { bySimilarity, closest } from './similar-names.ts';

describe('did you mean', () => {
  const words = ['race', 'race_top', 'called_from_lib', 'process', 'path'];

  it.each([
    ['raec', 'race'],
    ['racetop', 'race_top'],
    ['call_from_lib', 'called_from_lib'],
    ['proces', 'process'],
    ['pahts', 'path'],
  ])('%s: %s', (slip, meant) => {
    expect(closest(slip, words)).toBe(meant);
  });

  it('ranks by likeness', () => {
    expect(bySimilarity('prcs-3', ['threads-1', 'procs-13', 'procs-3'])).toEqual([
      'procs-3',
      'procs-13',
      'threads-1',
    ]);
  });

  it('stays silent when nothing is near', () => {
    expect(closest('frobnicate', words)).toBeUndefined();
    expect(closest('race', [])).toBeUndefined();
  });
});
