/**
 * `sampled.json`, how a run was sampled: all that its analysis has to know beside the logs, also on another machine.
 *
 *   { "schema": 1, "version": "0.1.0", "command": ["./server"],
 *     "machine": { "name": "web-3", "kernel": "6.18.5", "processors": 2 },
 *     "event": { "kind": "timer", "period": 4000000, "why": "there are no hardware counters …" },
 *     "budget": 0.02, "startedAt": "2026-11-15T21:15:00.000Z", "ranMs": 60021, "processorMs": 98412,
 *     "samples": 23011, "missed": 12, "cost": { "ofSamples": 0.0011, "ofHooks": 0.0034 } }
 *
 * It is written when the program starts, and again at its end, with what is known only then.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, hostname, release } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { replaceFile } from '../trace/replace-file.ts';
import { EVENT_KINDS } from './choose-event.ts';

export const SAMPLED_FILE = 'sampled.json';
/** The folder in a run where the agent works. */
export const SAMPLES_FOLDER = 'samples';

const share = z.number().nonnegative();

const schema = z.object({
  schema: z.literal(1),
  /** Of deadheat. */
  version: z.string(),
  command: z.array(z.string()),
  machine: z.object({ name: z.string(), kernel: z.string(), processors: z.int().positive() }),
  event: z.object({
    kind: z.enum(EVENT_KINDS),
    /** At first; nanoseconds of processor time, or instructions. */
    period: z.number().positive(),
    why: z.string(),
  }),
  /** The share of the processor time that sampling may cost, if the period was steered by that. */
  budget: share.optional(),
  /** The event and the period at the end. */
  lastKind: z.enum(EVENT_KINDS).optional(),
  lastPeriod: z.number().positive().optional(),
  windows: z.object({ lengthMs: z.number(), everyMs: z.number() }).optional(),
  stacks: z.boolean(),
  /** It began without sampling. */
  dormant: z.boolean(),
  startedAt: z.iso.datetime(),
  /** What follows is known at the end only. */
  ranMs: z.number().nonnegative().optional(),
  /** Of all processes that were waited for. */
  processorMs: z.number().nonnegative().optional(),
  samples: z.int().nonnegative().optional(),
  missed: z.int().nonnegative().optional(),
  /** How many logs each process had, by its number in the run. */
  logs: z.record(z.string(), z.int().nonnegative()).optional(),
  logBytes: z.int().nonnegative().optional(),
  /** As a share of the processor time: measured, and of the hooks estimated. */
  cost: z.object({ ofSamples: share, ofHooks: share }).optional(),
});

export type SampledInfo = Readonly<z.infer<typeof schema>>;

export const thisMachine = (): SampledInfo['machine'] => ({
  ...{ name: hostname(), kernel: release(), processors: availableParallelism() },
});

export function writeSampledInfo(run: { readonly path: string }, info: SampledInfo): void {
  replaceFile(join(run.path, SAMPLED_FILE), `${JSON.stringify(info, undefined, 2)}\n`);
}

export function readSampledInfo(run: {
  readonly path: string;
  readonly name: string;
}): SampledInfo {
  const path = join(run.path, SAMPLED_FILE);
  const text = tryTo(() => readFileSync(encodeBytes(path), 'utf8'));
  if (!text.ok) {
    throw new UserError(
      `${run.name} is not a sampled run: ${SAMPLED_FILE} cannot be read (${text.error.message})`,
      "make one with 'deadheat sample -- CMD'",
    );
  }
  const json = tryTo(() => JSON.parse(text.value) as unknown);
  const checked = json.ok ? schema.safeParse(json.value) : undefined;
  if (checked?.success) return checked.data;
  const what = json.ok
    ? z.prettifyError(checked!.error!).replaceAll('\n', ' ')
    : json.error.message;
  throw new UserError(`${path} is damaged: ${what}`, 'sample the program again');
}
