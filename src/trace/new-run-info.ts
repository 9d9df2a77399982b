/**
 * Writes what run-info.ts reads. On its own, because a recorder only writes: what checks a file that
 * was read takes longer to load than a short program takes to run.
 */
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';
import type { RunInfo } from './run-info.ts';

export const schemaVersion = 1;
export const runFileName = 'run.json';

/** The reason of a run whose program had to be ended, since it did not end within its time limit. */
export const DID_NOT_END = 'it did not end';

/** What the maker of a run has to know beforehand. */
export type NewRunInfo = Pick<
  RunInfo,
  'version' | 'engine' | 'command' | 'cwd' | 'folders' | 'devices' | 'recorder'
>;

export function newRunInfo(info: NewRunInfo): RunInfo {
  const startedAt = new Date().toISOString();
  return { schema: schemaVersion, ...info, startedAt, state: 'recording' };
}

export function writeRunInfo(directory: string, info: RunInfo): void {
  replaceFile(join(directory, runFileName), `${JSON.stringify(info, undefined, 2)}\n`);
}
