/**
 * Writes what stored-program.ts reads. Environments hold secrets, so only its owner may read the
 * file. On its own, because a recorder only writes: see trace/new-run-info.ts.
 */
import { constants, fstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { decodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { openFileOf, openFlagsOf } from '../../linux/reopen.ts';
import type { Program } from '../../linux/start-traced.ts';
import { replaceFile } from '../../trace/replace-file.ts';
import type { Run } from '../../trace/run-directory.ts';
import { furtherFiles } from './further-files.ts';
import type { OutputKind, ProgramFile } from './stored-program.ts';

const OWNER_ONLY = 0o600;

export function storeProgram(run: Run, { path, args, environment, inheritance }: Program): void {
  const { files, blockedSignals, ignoredSignals, openFileLimit } = inheritance;
  const input = inputFile(files);
  const stored: ProgramFile = {
    path,
    args: [...args],
    environment: [...environment],
    files: [...files],
    blockedSignals: `${blockedSignals}`,
    ignoredSignals: [...ignoredSignals],
    ...(openFileLimit !== undefined && { openFileLimit }),
    umask: process.umask(),
    ...(input !== undefined && { input, inputOffset: openFileOf(0)?.offset ?? 0 }),
    further: furtherFiles(files),
    inputIsSocket: outputKind(0, files) === 'socket',
    inputIsTerminal: outputKind(0, files) === 'terminal',
    stdout: outputKind(1, files),
    stderr: outputKind(2, files),
    sharesOutput: linkOf(1) === linkOf(2),
  };
  const text = `${JSON.stringify(stored, undefined, 2)}\n`;
  replaceFile(join(run.path, 'program.json'), text, OWNER_ONLY);
}

function inputFile(files: readonly number[]): string | undefined {
  if (!files.includes(0)) return undefined;
  const stats = tryTo(() => fstatSync(0));
  if (!stats.ok || stats.value.isFIFO() || stats.value.isSocket() || isatty(0)) return undefined;
  return linkOf(0);
}

function outputKind(fd: number, files: readonly number[]): OutputKind {
  const stats = tryTo(() => fstatSync(fd));
  if (!stats.ok || !files.includes(fd)) return 'closed';
  if (isatty(fd)) return 'terminal';
  if (stats.value.isCharacterDevice()) return 'null';
  if (stats.value.isSocket()) return 'socket';
  if (!stats.value.isFile()) return 'pipe';
  return openFlagsOf(fd) & constants.O_APPEND ? 'appended file' : 'file';
}

function linkOf(fd: number): string | undefined {
  const link = tryTo(() => readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' }));
  return link.ok ? decodeBytes(link.value) : undefined;
}
