/**
 * `witnesses.json` in a run, beside its report: the witness of each race in full, for those who follow it. The
 * report has only the end of a long one.
 *
 *   { "schema": 1, "witnesses": {
 *     "R1": { "racing": [0, 7], "recordedUntil": 0, "isShortest": true, "order": [4, 6] },
 *     "R2": { "racing": [3, 9], "recordedUntil": 0, "isShortest": false, "part": [2, 5] } } }
 *
 * Numbers are events of the trace; a part has, for each thread, how many of its first events belong to it.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { replaceFile } from '../trace/replace-file.ts';
import type { Run } from '../trace/run-directory.ts';
import { TraceSteps } from './csp/program/trace-steps.ts';
import { isAccess } from './model/op.ts';
import type { ThreadTrace } from './model/trace.ts';
import { accessAt, type RaceWitness, Witnesses } from './predict/witness.ts';

const event = z.int().nonnegative();
const common = {
  racing: z.tuple([event, event]),
  recordedUntil: event,
  isShortest: z.boolean(),
};
const schema = z.object({
  schema: z.literal(1),
  witnesses: z.record(
    z.string(),
    z.union([
      z.object({ ...common, order: z.array(event) }),
      z.object({ ...common, part: z.array(event) }),
    ]),
  ),
});

const fileOf = ({ path }: Pick<Run, 'path'>): string => join(path, 'witnesses.json');

export function saveWitnesses(
  run: Pick<Run, 'path'>,
  witnesses: ReadonlyMap<string, RaceWitness>,
): void {
  const entries = [...witnesses].map(([id, { racing, recordedUntil, isShortest, way }]) => {
    const how = 'order' in way ? { order: way.order } : { part: Array.from(way.part) };
    return [id, { racing: racing.map((one) => one.event), recordedUntil, isShortest, ...how }];
  });
  const content = { schema: 1, witnesses: Object.fromEntries(entries) };
  replaceFile(fileOf(run), `${JSON.stringify(content)}\n`);
}

/** By the race's id. `trace`: that of the run, from which they were made. */
export function readWitnesses(
  run: Pick<Run, 'path' | 'name'>,
  trace: ThreadTrace,
): Map<string, RaceWitness> {
  const file = fileOf(run);
  const text = tryTo(() => fs.readFileSync(encodeBytes(file), 'utf8'));
  if (!text.ok) {
    throw new UserError(
      `${run.name} has no witnesses (${(text.error as NodeJS.ErrnoException).code})`,
      `make them with: deadheat predict ${run.name}`,
    );
  }
  const content = tryTo(() => schema.parse(JSON.parse(text.value)));
  if (!content.ok || !Object.values(content.value.witnesses).every(isOf)) {
    throw new UserError(
      `${file} is damaged, or belongs to another trace`,
      `make it anew with: deadheat predict ${run.name}`,
    );
  }
  const witnesses = new Witnesses(trace, new TraceSteps(trace).all);
  return new Map(
    Object.entries(content.value.witnesses).map(([id, one]) => {
      const [first, second] = one.racing.map((racing) => accessAt(trace, racing));
      return [id, witnesses.of(one, [first!, second!], one.recordedUntil, one.isShortest)];
    }),
  );

  function isOf(witness: { racing: readonly number[]; order?: readonly number[] }): boolean {
    const { length } = trace;
    if ((witness.order ?? []).some((one) => one >= length)) return false;
    return witness.racing.every((one) => one < length && isAccess(trace.opAt(one)));
  }
}
