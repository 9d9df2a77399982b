/**
 * `program.json` in a run directory: all that is needed to start the recorded program again as the
 * user started it. store-program.ts writes it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import type { Program } from '../../linux/start-traced.ts';
import type { Run } from '../../trace/run-directory.ts';

/** Programs behave differently if their output goes to a terminal, or can be appended to. */
const OUTPUT_KINDS = [
  'pipe',
  'socket',
  'terminal',
  'file',
  'appended file',
  'null',
  'closed',
] as const;

const schema = z.object({
  path: z.string(),
  args: z.array(z.string()),
  environment: z.array(z.string()),
  files: z.array(z.int()),
  blockedSignals: z.string().regex(/^\d+$/),
  ignoredSignals: z.array(z.int()),
  openFileLimit: z.int().optional(),
  umask: z.int(),
  /** The file that was its standard input, if it was one that can be opened again. */
  input: z.string().optional(),
  /** Where in that file it began to read. */
  inputOffset: z.int().nonnegative().optional(),
  /** See further-files.ts. */
  further: z
    .array(
      z.union([
        z.object({ fd: z.int(), same: z.int() }),
        z.object({ fd: z.int(), path: z.string(), offset: z.int().nonnegative() }),
      ]),
    )
    .default([]),
  /** It was a socket. */
  inputIsSocket: z.boolean(),
  inputIsTerminal: z.boolean().default(false),
  stdout: z.enum(OUTPUT_KINDS),
  stderr: z.enum(OUTPUT_KINDS),
  /** Both went to the same place, in one order. */
  sharesOutput: z.boolean(),
});

export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** One descriptor of the program beyond the standard ones: the same as another, or a file of its own. */
export type FurtherFile = ProgramFile['further'][number];

/** As the file has it. */
export type ProgramFile = z.infer<typeof schema>;

type OfProgram =
  | 'path'
  | 'args'
  | 'environment'
  | 'files'
  | 'blockedSignals'
  | 'ignoredSignals'
  | 'openFileLimit';

export interface StoredProgram extends Omit<ProgramFile, OfProgram> {
  readonly program: Program;
}

export function readProgram(run: Pick<Run, 'path' | 'name'>): StoredProgram {
  const path = join(run.path, 'program.json');
  const text = tryTo(() => readFileSync(encodeBytes(path), 'utf8'));
  if (!text.ok) {
    throw new UserError(`${run.name} does not say how its program was started`, 'record it again');
  }
  const json = tryTo(() => JSON.parse(text.value) as unknown);
  const parsed = schema.safeParse(json.ok ? json.value : undefined);
  if (!parsed.success) throw new UserError(`${path} is damaged`, 'record the program again');
  const {
    path: file,
    args,
    environment,
    files,
    blockedSignals,
    ignoredSignals,
    ...rest
  } = parsed.data;
  const { openFileLimit, ...stored } = rest;
  const inheritance = {
    files,
    blockedSignals: BigInt(blockedSignals),
    ignoredSignals,
    ...(openFileLimit !== undefined && { openFileLimit }),
  };
  return { program: { path: file, args, environment, inheritance }, ...stored };
}
