/**
 * `run.json`, what a run directory says about itself:
 *
 *   { "schema": 1, "version": "0.1.0", "engine": "procs", "command": ["make", "-j4"],
 *     "cwd": "/home/me/project", "startedAt": "2026-11-15T21:15:00.000Z", "recorder": "ptrace",
 *     "files": { "in": "sandbox", "kept": false,
 *                "layers": [{ "place": "/", "changes": "changes/0/upper" }] },
 *     "exit": { "code": 0 }, "state": "complete" }
 *
 * It is written when the run starts and replaced when its state changes: a new file takes the old
 * one's name in one step, so whoever reads it sees one or the other. A run whose deadheat was
 * killed stays in the state "recording" for ever.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { encodeBytes } from '../base/bytes.ts';
import { ENGINES } from '../base/engines.ts';
import { UserError } from '../base/user-error.ts';
import { runFileName, schemaVersion } from './new-run-info.ts';

const schema = z.object({
  schema: z.literal(schemaVersion),
  /** Of the deadheat that made the run. */
  version: z.string(),
  engine: z.enum(ENGINES),
  command: z.array(z.string()),
  cwd: z.string(),
  /** Of processes that ran before the recording began, by number: where they were, if not there. */
  folders: z.record(z.string(), z.string()).optional(),
  /** The names of devices that may have been open before, by `device:inode`. */
  devices: z.record(z.string(), z.string()).optional(),
  startedAt: z.iso.datetime(),
  /** How long the program ran, in milliseconds, if somebody has measured it. */
  ranMs: z.number().nonnegative().optional(),
  /** How events were observed: 'bpf', 'ptrace', … */
  recorder: z.string().optional(),
  exit: z
    .union([z.strictObject({ code: z.int() }), z.strictObject({ signal: z.string() })])
    .optional(),
  /**
   * What the program could change: the real files, or layers over them that started empty (its
   * starting point was the files as they are without the layers). `kept`: the changes were made
   * real at the end; the layers listed then hold what could not be.
   */
  files: z
    .discriminatedUnion('in', [
      z.object({ in: z.literal('place') }),
      z.object({
        in: z.literal('sandbox'),
        kept: z.boolean(),
        /** `changes` is a folder in the run directory, as overlayfs wrote it. */
        layers: z.array(z.object({ place: z.string(), changes: z.string() })),
      }),
    ])
    .optional(),
  state: z.enum(['recording', 'complete', 'interrupted', 'failed']),
  /** Why it was interrupted, or how it failed. */
  reason: z.string().optional(),
});

export type RunInfo = Readonly<z.infer<typeof schema>>;
export function readRunInfo(directory: string): RunInfo {
  const path = join(directory, runFileName);
  const json = parse(path, read(path, directory));
  const { schema: version } = z
    .looseObject({ schema: z.unknown() })
    .catch({ schema: 0 })
    .parse(json);
  if (typeof version === 'number' && version > schemaVersion) {
    throw new UserError(
      `${path} was written by a newer deadheat (schema ${version}, this one reads ${schemaVersion})`,
      'update deadheat or record again',
    );
  }
  const checked = schema.safeParse(json);
  if (checked.success) return checked.data;
  throw damaged(path, z.prettifyError(checked.error).replaceAll('\n', ' '));
}

function read(path: string, directory: string): string {
  try {
    return fs.readFileSync(encodeBytes(path), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new UserError(
        `${directory} is not a run directory: it has no ${runFileName}`,
        'deadheat ls shows which runs there are',
      );
    }
    throw new UserError(
      `cannot read ${path}: ${message}`,
      'change its permissions, or record again',
    );
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(path, (error as Error).message);
  }
}

function damaged(path: string, what: string): UserError {
  return new UserError(`${path} is damaged: ${what}`, 'record again');
}
