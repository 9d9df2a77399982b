/**
 * Runs a program with its critical sections isolated:
 *
 *   find its sections  →  clones of those that can be isolated  →  run it with the library  →  what was seen
 *
 * All that can be wrong with the program is said before a run directory is made. Once it has run, its own end is
 * what the user gets to see.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { encodeBlob } from '../../binary/rewrite/blob.ts';
import { preloadVariable } from '../../linux/agent-library.ts';
import { ownEnvironment, ownInheritance } from '../../linux/own-inheritance.ts';
import { ownFolder } from '../../linux/own-process.ts';
import { type RanProgram, runProgram, withVariables } from '../../linux/run-program.ts';
import { signalName } from '../../linux/signals.ts';
import { createRun, type Run } from '../../trace/run-directory.ts';
import { programSections } from '../program-sections.ts';
import { type ReadProgram, readProgram } from '../read-program.ts';
import { type RewrittenSections, rewriteSections } from '../rewrite/rewrite-sections.ts';
import type { SectionPlan } from '../sections/section-plan.ts';
import { EVENT_FILE_VARIABLE, EventFile, type RaceEvent, type TolerateMode } from './event-file.ts';
import { HeapBlocks } from './heap-blocks.ts';
import { inProgram } from './in-program.ts';
import { type FoundIntruders, IntruderSearch } from './intruders.ts';

export interface TolerateOptions {
  /** Of deadheat. */
  readonly version: string;
  readonly mode: TolerateMode;
  readonly timeoutMs?: number | undefined;
  /** The user's -o DIR. */
  readonly output?: string | undefined;
}

/** The sections of a program, and clones of those that can be isolated. */
export interface PreparedSections extends ReadProgram {
  readonly plans: readonly SectionPlan[];
  readonly rewritten: RewrittenSections;
}

export interface ToleratedProgram extends PreparedSections {
  readonly run: Run;
  readonly mode: TolerateMode;
  readonly ran: RanProgram;
  readonly seen: SeenRaces;
}

export interface SeenRaces {
  readonly events: readonly RaceEvent[];
  /** Where the program was loaded. */
  readonly loadedAt: bigint;
  /** Races that had no room. */
  readonly lost: number;
  readonly isHalted: boolean;
  /** Processes in which sections were isolated, and in which they could not be. */
  readonly prepared: number;
  readonly refused: EventFile['refused'];
  /** Sections that could not be given their clones, and threads that could not use them. */
  readonly unpatched: number;
  readonly outside: number;
  /** Who did it. */
  readonly found: FoundIntruders;
  /** What variables without a name are in. */
  readonly blocks: Pick<HeapBlocks, 'at'>;
}

export async function tolerateProgram(
  command: readonly string[],
  { version, mode, timeoutMs, output }: TolerateOptions,
): Promise<ToleratedProgram> {
  const prepared = prepareSections(command[0] ?? '');
  const info = { version, engine: 'tolerate', recorder: 'agent', cwd: ownFolder() } as const;
  const run = createRun({ ...info, command: [...command] }, { output });
  run.update({ files: { in: 'place' } });
  const folder = resolve(ownFolder(), run.path, 'agent');
  try {
    mkdirSync(encodeBytes(join(folder, 'blobs')), { recursive: true });
    const { image, rewritten } = prepared;
    writeFileSync(encodeBytes(join(folder, 'blobs', image.key)), encodeBlob(rewritten.blob));
    const events = join(folder, 'events');
    const file = EventFile.create(events, mode);
    const environment = withVariables(ownEnvironment(), {
      ...preloadVariable('tolerate'),
      [EVENT_FILE_VARIABLE]: events,
    });
    const program = {
      path: prepared.program,
      args: command,
      environment,
      inheritance: ownInheritance(),
    };
    const isInProgram = inProgram(file, prepared);
    const search = new IntruderSearch(file, isInProgram, prepared);
    const blocks = new HeapBlocks(file, isInProgram);
    for (const one of [search, blocks]) one.begin();
    const ran = await runProgram(program, { timeoutMs }).finally(() => {
      for (const one of [search, blocks]) one.end();
    });
    const seen = seenIn(file, search.found, blocks);
    file.close();
    run.update({ exit: exitOf(ran), ranMs: ran.milliseconds, state: 'complete' });
    return { ...prepared, run, mode, ran, seen };
  } finally {
    rmSync(encodeBytes(folder), { recursive: true, force: true });
  }
}

function prepareSections(command: string): PreparedSections {
  const read = readProgram(command);
  const plans = programSections(read);
  return { ...read, plans, rewritten: rewriteSections(read.elf, plans) };
}

const seenIn = (file: EventFile, found: FoundIntruders, blocks: HeapBlocks): SeenRaces => ({
  found,
  blocks,
  events: file.events(),
  loadedAt: file.image,
  ...{ lost: file.lost, isHalted: file.isHalted, prepared: file.prepared, refused: file.refused },
  ...{ unpatched: file.unpatched, outside: file.outside },
});

const exitOf = ({ end }: RanProgram): { signal: string } | { code: number } =>
  'signal' in end ? { signal: signalName(end.signal) } : { code: end.status };
