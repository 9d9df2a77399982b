/** A program with clones of its critical sections, made once and run many times. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ElfFile, parseElf } from '../../src/binary/elf/elf-file.ts';
import { encodeBlob } from '../../src/binary/rewrite/blob.ts';
import { agentLibrary } from '../../src/linux/agent-library.ts';
import { readImageFile } from '../../src/preload/image-file.ts';
import { programSections } from '../../src/tolerate/program-sections.ts';
import { rewriteSections } from '../../src/tolerate/rewrite/rewrite-sections.ts';
import {
  EVENT_FILE_VARIABLE,
  EventFile,
  type RaceEvent,
  type TolerateMode,
} from '../../src/tolerate/runtime/event-file.ts';
import type { SectionPlan } from '../../src/tolerate/sections/section-plan.ts';

export interface IsolatedRun extends Pick<SpawnSyncReturns<string>, 'stdout' | 'stderr'> {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly events: readonly RaceEvent[];
  readonly prepared: number;
  readonly isHalted: boolean;
}

const USUAL: TolerateMode = { detects: false, halts: false, isBlind: false };
const LONGEST_MS = 120_000;
const MOST_OUTPUT = 1 << 28;

/** As `deadheat tolerate` finds them. */
const found = (elf: ElfFile, path: string): SectionPlan[] => programSections({ path, elf });

export class IsolatedProgram {
  readonly path: string;
  /** How many sections there are, and how many have clones. */
  readonly sections: number;
  readonly isolated: number;
  /** Why the others have none after all, beside what the plans say. */
  readonly refused: readonly string[];
  readonly #folder: string;

  /** All that is needed to run it is in a folder of its own, within this one. */
  constructor(path: string, within: string, plansOf = found) {
    this.path = path;
    this.#folder = mkdtempSync(join(within, 'isolated-'));
    const elf = parseElf(readFileSync(path));
    const plans = plansOf(elf, path);
    const { blob, isolated, refused } = rewriteSections(elf, plans);
    this.sections = plans.length;
    this.isolated = isolated.length;
    this.refused = refused.map(({ reason }) => reason);
    mkdirSync(join(this.#folder, 'blobs'));
    writeFileSync(join(this.#folder, 'blobs', readImageFile(path).key), encodeBlob(blob));
  }

  run(args: readonly string[], mode: Partial<TolerateMode> = {}, cwd = this.#folder): IsolatedRun {
    return this.within(mode, (variables) => {
      const { stdout, stderr, status, signal } = spawnSync(this.path, args, {
        env: { ...process.env, ...variables },
        ...{ cwd, encoding: 'latin1', timeout: LONGEST_MS, killSignal: 'SIGKILL' },
        maxBuffer: MOST_OUTPUT,
      });
      return { stdout, stderr, status, signal };
    });
  }

  /** Whatever is started with these variables is the program with its clones. */
  within<T extends object>(
    mode: Partial<TolerateMode>,
    work: (variables: Readonly<Record<string, string>>) => T,
  ): T & Pick<IsolatedRun, 'events' | 'prepared' | 'isHalted'> {
    const path = join(this.#folder, 'events');
    const file = EventFile.create(path, { ...USUAL, ...mode });
    try {
      const done = work({ LD_PRELOAD: agentLibrary('tolerate'), [EVENT_FILE_VARIABLE]: path });
      const { prepared, isHalted } = file;
      return { ...done, prepared, isHalted, events: file.events() };
    } finally {
      file.close();
      rmSync(path);
    }
  }
}
