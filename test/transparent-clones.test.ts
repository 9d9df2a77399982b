/**
 * Clones do what their originals do: programs that run as clones end, and print, as they do by themselves.
 * Those of large programs are in test/long/.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectSameInAllWays, possibleCases } from './harness/transparent-clones.ts';

/** Programs are cloned once for all tests. */
let cache = '';
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

describe('the same natively, with null clones, and traced', () => {
  it.each(possibleCases().filter(({ isLong }) => !isLong))('$name', (which) =>
    expectSameInAllWays(which, cache),
  );
});
