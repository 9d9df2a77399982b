/**
 * What every engine hands over and every format prints: `report.json` in memory.
 *
 * A build that creates `obj/` and writes into it without an order between the two gives
 *
 *   { schema: 1, tool: 'deadheat', version: '0.1.0', engine: 'procs', command: ['make', '-j4'],
 *     run: 'procs-3', exit: { code: 0 }, stats: {},
 *     races: [{ id: 'R1', kind: 'load-store', verdict: 'harmful',
 *               title: 'sh creates obj/ while cc1 writes obj/a.o',
 *               object: { type: 'dirent', name: '/home/me/project/obj' },
 *               accesses: [{ process: 'cc1', pid: 14, thread: 14, op: 'load', what: 'openat(…)',
 *                            site: {}, stack: [] }, …],
 *               occurrences: 12 }] }
 *
 * One race is one root cause, not one instance. The schema is the single source: types, the JSON
 * Schema (json-schema.ts) and the check of files read from disk (parse.ts) come from it. Text is
 * kept as src/base/bytes.ts decodes it, so a path that is not UTF-8 survives the trip to disk.
 *
 * Adding an optional field keeps `reportVersion`; anything else raises it.
 */
import { z } from 'zod';
import { ENGINES, type Engine } from '../base/engines.ts';

export const reportVersion = 1;

export const engineSchema = z.enum(ENGINES);

export const verdictSchema = z.enum([
  'detected',
  'harmful',
  'benign',
  'diverged',
  'predicted',
  'confirmed',
  'tolerated',
]);

/** Which verdicts each engine can reach. */
export const verdictsOf = {
  procs: ['detected', 'harmful', 'benign', 'diverged'],
  threads: ['predicted', 'confirmed'],
  sample: ['predicted', 'confirmed'],
  watch: ['confirmed'],
  tolerate: ['detected', 'tolerated'],
} as const satisfies Record<Engine, readonly Verdict[]>;

/** How a race was predicted, cheapest first; docs/prediction.md has what each means. */
export const rungSchema = z.enum(['happens-before', 'sync-preserving', 'search']);

const processId = z.int().nonnegative();
const threadName = z.string().min(1).optional().describe('What people call the thread');

export const siteSchema = z
  .object({
    function: z.string().min(1).optional(),
    file: z.string().min(1).optional().describe('Source file or script, absolute where known'),
    line: z.int().positive().optional().describe('From 1; left out when unknown'),
    module: z.string().min(1).optional().describe('The executable or library'),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]+$/)
      .optional()
      .describe('Offset into the module when there is one, otherwise an absolute address'),
  })
  .describe('A place in the code; what is unknown is left out');

const stackSchema = z
  .array(siteSchema)
  .describe('Innermost frame first, the site itself being the first; empty when unknown');

export const accessSchema = z
  .object({
    process: z.string().describe('Name of the program'),
    pid: processId,
    thread: processId.describe('Thread id, unique within the process'),
    threadName,
    op: z.string().min(1).describe('load, store, wait, …: engine-specific'),
    what: z.string().describe('The system call or the memory access, as people write it'),
    event: z
      .int()
      .nonnegative()
      .optional()
      .describe('Its number among the events of the recording, from 0'),
    site: siteSchema,
    stack: stackSchema,
    value: z
      .string()
      .regex(/^([0-9a-f]{2})*$/)
      .optional()
      .describe(
        'The bytes that were there before the access, in hexadecimal, lowest address first',
      ),
    valueAfter: z
      .string()
      .regex(/^([0-9a-f]{2})*$/)
      .optional()
      .describe('The same bytes when the race was caught, if they were looked at again'),
    registers: z
      .record(z.string(), z.string())
      .optional()
      .describe('The registers right before the access, in hexadecimal'),
    locks: z
      .array(z.string())
      .optional()
      .describe('What the thread had locked, by name; a lock that others may share says so'),
  })
  .describe('One side of a race');

export const stepSchema = z
  .object({
    pid: processId,
    thread: processId,
    threadName,
    what: z.string(),
    site: siteSchema.optional(),
  })
  .describe('One step of an interleaving');

export const orderedStepSchema = stepSchema
  .extend({
    after: z
      .array(z.int().nonnegative())
      .optional()
      .describe('Indexes of the steps it comes after, besides the last one of its own task'),
    races: z.literal(true).optional().describe('One of the racing steps'),
  })
  .describe('One step around a race');

/** How sure a race is that was put together from samples; docs/sample.md has the rule. */
export const confidenceSchema = z.enum(['high', 'medium', 'low']);

const hexadecimal = z.string().regex(/^0x[0-9a-f]+$/);

/** What became of a variable that was changed while a critical section worked on a copy of it. */
export const resolutionSchema = z
  .object({
    class: z.string().min(1).describe('Of the race, as docs/tolerate.md has them'),
    lock: z.string().optional().describe('What the section holds, by name'),
    found: hexadecimal.describe('What was there when the section began'),
    section: hexadecimal.describe('What the section has made of it'),
    others: hexadecimal.describe('What others have made of it meanwhile, without the lock'),
    kept: z.enum(['section', 'others']).describe('Whose value memory has now'),
  })
  .describe('What became of a variable that two have changed');

export const raceSchema = z
  .object({
    id: z.string().min(1).describe('R1, R2, …: unique within the report'),
    kind: z.string().min(1).describe('Engine-specific, such as load-store or data-race'),
    verdict: verdictSchema,
    title: z.string().describe('One line for people'),
    object: z
      .object({
        type: z.string().min(1).describe('What is fought over: dirent, file, memory, …'),
        name: z.string().describe('A path, a variable, …; stable across runs where possible'),
      })
      .describe('What both sides touch'),
    accesses: z.array(accessSchema).min(2).max(3).describe('Three for wait/wakeup races'),
    steps: z
      .array(stepSchema)
      .optional()
      .describe('The interleaving that shows the race, in order; or what leads to both accesses'),
    earlierSteps: z
      .int()
      .positive()
      .optional()
      .describe('How many more steps come before these, in the recorded order'),
    rung: rungSchema
      .optional()
      .describe(
        'How it was predicted: nothing orders the accesses in the traced run (happens-before), or they ' +
          'meet in another order, with locks taken in the same turns (sync-preserving), or any (search)',
      ),
    certain: z
      .boolean()
      .optional()
      .describe(
        'Whether an order is known in which every read before the race finds what it found; else the ' +
          'race may be a mere consequence of another one, or of a value that would be different',
      ),
    order: z
      .array(orderedStepSchema)
      .optional()
      .describe('The happens-before graph around the race, in the order in which it was seen'),
    confidence: confidenceSchema.optional().describe('How sure it is, where that varies'),
    resolution: resolutionSchema.optional().describe('For races with a critical section'),
    evidence: z.string().optional().describe('What went differently when the race was run'),
    hint: z.string().optional().describe('How such races are usually mended'),
    also: z
      .array(z.string())
      .optional()
      .describe('Other races that end in the same way, and so have the same cause'),
    replay: z.string().optional().describe('The command that runs the race again'),
    benign: z
      .string()
      .optional()
      .describe('Why the race may be harmless; a hint, it never hides the race'),
    occurrences: z.int().positive().describe('Instances that were folded into this one'),
    instance: z
      .int()
      .optional()
      .describe(
        'Which of its instances is told of, if not the first one that was found; -1: the first one, ' +
          'not by replay but by holding one side back in a run of its own',
      ),
  })
  .describe('One root cause');

export const taskSchema = z
  .object({
    pid: processId,
    thread: processId,
    threadName,
    process: z.string().describe('Name of the program'),
    command: z.array(z.string()).optional().describe('Its arguments, from the program on'),
    parent: z
      .object({ pid: processId, thread: processId })
      .optional()
      .describe('The task that created it; left out at the root'),
    createdBy: z
      .object({ what: z.string(), site: siteSchema.optional(), stack: stackSchema.optional() })
      .optional()
      .describe('The call that created it, in the parent'),
  })
  .describe('How a process or thread came to be');

export const reportSchema = z
  .object({
    schema: z.literal(reportVersion).describe('Version of this format'),
    tool: z.literal('deadheat'),
    version: z.string().describe('Version of deadheat'),
    engine: engineSchema,
    command: z.array(z.string()).describe('The target; empty when it was attached to'),
    run: z.string().describe('Name of the run directory'),
    exit: z
      .object({ code: z.int().optional(), signal: z.string().optional() })
      .optional()
      .describe('How the target ended; left out when it did not'),
    races: z.array(raceSchema),
    tasks: z.array(taskSchema).optional().describe('The processes and threads that matter here'),
    warnings: z
      .array(z.string())
      .optional()
      .describe('What weakens the result: calls not modelled, a partial recording, …'),
    remarks: z
      .array(z.string())
      .optional()
      .describe('What else the engine has to say: how likely others would have been found, …'),
    suppressed: z
      .record(z.string(), z.int().positive())
      .optional()
      .describe('Races left out, per suppression rule'),
    stats: z.record(z.string(), z.unknown()).describe('Figures of the engine'),
  })
  .superRefine((report, context) => {
    const allowed: readonly Verdict[] = verdictsOf[report.engine];
    for (const [index, race] of report.races.entries()) {
      if (allowed.includes(race.verdict)) continue;
      context.addIssue({
        code: 'custom',
        path: ['races', index, 'verdict'],
        message: `${report.engine} cannot say "${race.verdict}"; it says ${allowed.join(', ')}`,
      });
    }
  });

export type Confidence = z.infer<typeof confidenceSchema>;
export type Rung = z.infer<typeof rungSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
export type Site = z.infer<typeof siteSchema>;
export type Access = z.infer<typeof accessSchema>;
export type Step = z.infer<typeof stepSchema>;
export type OrderedStep = z.infer<typeof orderedStepSchema>;
export type Race = z.infer<typeof raceSchema>;
export type Resolution = z.infer<typeof resolutionSchema>;
export type Task = z.infer<typeof taskSchema>;
export type Report = z.infer<typeof reportSchema>;
