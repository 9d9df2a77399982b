/** Runs a program whose critical sections are isolated, all of them, by plans without analysis. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseElf } from '../../src/binary/elf/elf-file.ts';
import { encodeBlob } from '../../src/binary/rewrite/blob.ts';
import { agentLibrary } from '../../src/linux/agent-library.ts';
import { readImageFile } from '../../src/preload/image-file.ts';
import { rewriteSections } from '../../src/tolerate/rewrite/rewrite-sections.ts';
import {
  EVENT_FILE_VARIABLE,
  EventFile,
  type RaceEvent,
  type TolerateMode,
} from '../../src/tolerate/runtime/event-file.ts';
import { naiveSections } from './naive-sections.ts';
import { scratchFolder } from './scratch.ts';

export interface IsolatedRun extends Pick<SpawnSyncReturns<string>, 'stdout' | 'stderr'> {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly events: readonly RaceEvent[];
  readonly prepared: number;
  readonly isHalted: boolean;
  /** Why sections were not isolated after all. */
  readonly refused: readonly string[];
}

const USUAL: TolerateMode = { detects: false, halts: false, isBlind: false };

export function isolatedRun(
  program: string,
  args: readonly string[] = [],
  mode: Partial<TolerateMode> = {},
): IsolatedRun {
  const folder = mkdtempSync(join(scratchFolder(), 'isolated-'));
  const elf = parseElf(readFileSync(program));
  const { blob, refused } = rewriteSections(elf, naiveSections(elf));
  mkdirSync(join(folder, 'blobs'));
  writeFileSync(join(folder, 'blobs', readImageFile(program).key), encodeBlob(blob));
  const path = join(folder, 'events');
  const file = EventFile.create(path, { ...USUAL, ...mode });
  const { stdout, stderr, status, signal } = spawnSync(program, args, {
    env: { ...process.env, LD_PRELOAD: agentLibrary('tolerate'), [EVENT_FILE_VARIABLE]: path },
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const { prepared, isHalted } = file;
  const events = file.events();
  file.close();
  const reasons = refused.map(({ reason }) => reason);
  return { stdout, stderr, status, signal, events, prepared, isHalted, refused: reasons };
}
