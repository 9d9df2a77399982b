/** The same as test/transparent-clones.test.ts and with large programs, twenty times each: threads meet in other ways. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectSameInAllWays, possibleCases } from '../harness/transparent-clones.ts';

const TIMES = 20;

let cache = '';
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

describe(`the same natively, with null clones, and traced, ${TIMES} times`, () => {
  it.each(possibleCases())('$name', (which) => expectSameInAllWays(which, cache, TIMES));
});
