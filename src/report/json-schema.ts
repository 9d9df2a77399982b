/**
 * The JSON Schema (draft 2020-12) of report.json, for people who read it from other languages.
 *
 * It comes from the model, so the two cannot drift apart. zod cannot express its own refinements
 * in JSON Schema; the one we have, the verdicts each engine may reach, is added here from the same
 * table as
 *
 *   { if: { properties: { engine: { const: 'watch' } } },
 *     then: { properties: { races: { items: { properties: { verdict: { enum: ['confirmed'] } } } } } } }
 *
 * Unknown fields are allowed: newer versions may add optional ones.
 */
import { z } from 'zod';
import { engineSchema, reportSchema, reportVersion, verdictsOf } from './model.ts';

export type JsonSchema = Record<string, unknown>;

export function reportJsonSchema(): JsonSchema {
  const { $schema, ...fromModel } = z.toJSONSchema(reportSchema, { io: 'input', reused: 'ref' });
  return {
    $schema,
    $id: `urn:deadheat:report:${reportVersion}`,
    title: 'deadheat report',
    ...fromModel,
    allOf: engineSchema.options.map((engine) => ({
      if: { properties: { engine: { const: engine } } },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
      then: {
        properties: { races: { items: { properties: { verdict: { enum: verdictsOf[engine] } } } } },
      },
    })),
  };
}
