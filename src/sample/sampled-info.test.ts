import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  readSampledInfo,
  SAMPLED_FILE,
  type SampledInfo,
  thisMachine,
  writeSampledInfo,
} from './sampled-info.ts';

let run = { path: '', name: 'sample-1' };
beforeEach(() => {
  run = { ...run, path: mkdtempSync(join(tmpdir(), 'deadheat-sampled-')) };
});
afterEach(() => rmSync(run.path, { recursive: true }));

const INFO: SampledInfo = {
  ...{ schema: 1, version: '0.1.0', command: ['./server'], machine: thisMachine() },
  event: { kind: 'timer', period: 4_000_000, why: 'there is nothing else' },
  ...{ budget: 0.02, stacks: false, dormant: false, startedAt: '2026-11-15T21:15:00.000Z' },
  ...{ ranMs: 1000.5, processorMs: 1900, samples: 475, missed: 0, logBytes: 131_072 },
  cost: { ofSamples: 0.001, ofHooks: 0.002 },
};

describe('sampled.json', () => {
  it('tells what was written', () => {
    writeSampledInfo(run, INFO);
    expect(readSampledInfo(run)).toEqual(INFO);
  });

  it('is what makes a run one of samples', () => {
    expect(() => readSampledInfo(run)).toThrow(
      /sample-1 is not a sampled run: sampled.json cannot/,
    );
  });

  it.each([
    ['{"schema": 1, "ver', /is damaged/],
    ['{}', /is damaged: .*version/],
    [
      JSON.stringify({ ...INFO, event: { kind: 'luck', period: 1, why: '' } }),
      /is damaged: .*kind/,
    ],
  ])('may be damaged: %s', (text, message) => {
    writeFileSync(join(run.path, SAMPLED_FILE), text);
    expect(() => readSampledInfo(run)).toThrow(message);
  });
});
