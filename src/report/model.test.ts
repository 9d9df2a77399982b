import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../base/engines.ts';
import { reportJsonSchema } from './json-schema.ts';
import { engineSchema, type Report, reportSchema, verdictSchema } from './model.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import { allReports, procsReport } from './testdata/reports.ts';

const accepts = new Ajv2020({ strict: true, strictTypes: false }).compile(reportJsonSchema());
const onDisk = (report: unknown): unknown => JSON.parse(JSON.stringify(report));

describe('the report model', () => {
  it.each(Object.entries(allReports))('takes a report of %s as it is', (_, build) => {
    expect(reportSchema.parse(build())).toEqual(build());
  });

  it('allows each engine its own verdicts only', () => {
    const agreed: Record<Engine, string[]> = {
      procs: ['detected', 'harmful', 'benign', 'diverged'],
      threads: ['predicted', 'confirmed'],
      sample: ['predicted', 'confirmed'],
      watch: ['confirmed'],
      tolerate: ['detected', 'tolerated'],
    };
    for (const engine of engineSchema.options) {
      for (const verdict of verdictSchema.options) {
        const race = { ...procsReport().races[0]!, verdict };
        const report: Report = { ...procsReport(), engine, races: [race] };
        const allowed = agreed[engine].includes(verdict);
        expect(reportSchema.safeParse(report).success, `${engine} ${verdict}`).toBe(allowed);
        expect(accepts(onDisk(report)), `${engine} ${verdict}`).toBe(allowed);
      }
    }
  });
});

describe('the JSON Schema', () => {
  it('has an identity and a title', () => {
    expect(reportJsonSchema()).toMatchObject({
      $id: 'urn:deadheat:report:1',
      title: 'deadheat report',
      type: 'object',
    });
  });

  it('accepts what the model accepts', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(reportSchema.safeParse(report).success).toBe(true);
        expect(accepts(onDisk(report)), JSON.stringify(accepts.errors)).toBe(true);
      }),
    );
  });

  it('and the model say the same of a report with one damaged value', () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraryReport, fc.nat(), fc.jsonValue(), (report, at, value) => {
        const damaged = onDisk(report);
        const spots = valuesIn(damaged);
        const spot = spots[at % spots.length]!;
        spot.holder[spot.key] = value;
        const model = reportSchema.safeParse(damaged).success;
        if (!model) refused++;
        expect(accepts(damaged), JSON.stringify(damaged)).toBe(model);
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
  });
});

interface Spot {
  holder: Record<string, unknown>;
  key: string;
}

function valuesIn(tree: unknown): Spot[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const holder = tree as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...valuesIn(holder[key])]);
}
