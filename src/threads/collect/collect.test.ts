import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentModule, AgentRecord } from '../../linux/agent-channel.ts';
import { ThreadTrace } from '../model/trace.ts';
import { collectTrace } from './collect.ts';
import {
  ATOMIC_SITE,
  RandomProgram,
  SIZES,
  type Step,
  THREADS,
} from './testdata/random-program.ts';
import { expectTrueTrace } from './testdata/true-trace.ts';
import type { WrittenLog } from './testdata/written-log.ts';
import type { TracedModule } from './traced-module.ts';

const MODULE: AgentModule = {
  ...{ kind: 'module', process: 1, siteBase: 0, loadBase: 0x9000, blobBase: 0, patched: 1 },
  ...{ refused: 0, buildId: 'ab', path: '/bin/program' },
};

/** A site's address is its number. */
const TRACED: TracedModule = {
  imageEnd: 0x1000,
  blobSize: 0,
  sites: Uint32Array.from({ length: ATOMIC_SITE + 1 }, (_, i) => i),
  siteSizes: Uint16Array.from(SIZES),
  returns: new Uint32Array(0),
  skipped: [],
  placeAt: () => ({ function: '', file: '', line: 0 }),
  dataAt: () => '',
};

function collect(logs: readonly WrittenLog[], records: readonly AgentRecord[] = [MODULE]) {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  try {
    for (const log of logs) log.save(folder);
    const trace = new ThreadTrace();
    const collected = collectTrace({ folder, records, describe: () => TRACED, writer: trace });
    return { trace, ...collected };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  thread: fc.nat(THREADS - 1),
  action: fc.nat(12),
  where: fc.nat(100),
  how: fc.nat(100),
});

describe('collecting a trace', () => {
  it('keeps the order, what is shared, and nothing else, of random programs', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const program = new RandomProgram(steps);
        const { trace, problems } = collect(program.logs);
        expect(problems).toEqual([]);
        expectTrueTrace(program, trace);
      }),
      { numRuns: 200 },
    );
  });
});
