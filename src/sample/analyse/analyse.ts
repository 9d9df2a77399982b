/**
 * From the logs of one or several sampled runs to races. Runs of the same build, on whatever machine, are looked at
 * together: what they have in common is the build-id of an image, and the place in it.
 *
 *   const analysis = analyseSamples([{ name: 'sample-1', folder: '.deadheat/sample-1/samples' }], { symbols: [] });
 *   analysis.races      // as in report.json, without their ids
 *
 * Each process is walked over twice (first-pass.ts, second-pass.ts): once for what threads share, which is little,
 * and once for that alone, in the order of time.
 */
import type { Race } from '../../report/model.ts';
import { type Odds, oddsSoFar } from '../odds.ts';
import { ImageStore } from './code/image-store.ts';
import { LoadedImages } from './code/loaded-images.ts';
import { ownAllocator, ownAllocatorText } from './code/own-allocator.ts';
import { PlaceTable } from './code/place-table.ts';
import { type FirstPass, firstPass } from './first-pass.ts';
import type { SampleFigures, SampleReader } from './logs/sample-reader.ts';
import { GlobalGranules, globalNumber } from './memory/global-granules.ts';
import { problemWarnings } from './problem-warnings.ts';
import { AcrossRuns } from './races/across-runs.ts';
import { findRaces } from './races/find-races.ts';
import { FoundPairs } from './races/found-pairs.ts';
import { noteSides } from './races/note-sides.ts';
import { Teller } from './races/teller.ts';
import { type LogCounts, readSampledProcesses, type SampledProcess } from './sampled-process.ts';
import { type SecondPass, secondPass } from './second-pass.ts';

export interface AnalysedRun {
  readonly name: string;
  /** Where its control, processes and logs are. */
  readonly folder: string;
  /** In milliseconds; not known: files are taken to be as old as they must be. */
  readonly startedAt?: number;
  readonly logs?: LogCounts | undefined;
}

export interface AnalysisOptions {
  /** Folders that have binaries which are not at their paths here. */
  readonly symbols: readonly string[];
}

export interface Analysis {
  /** The surest first. */
  readonly races: readonly Omit<Race, 'id'>[];
  readonly warnings: readonly string[];
  readonly stats: AnalysisStats;
}

export interface AnalysisStats {
  readonly runs: number;
  readonly processes: number;
  readonly threads: number;
  /** Of the process that had the most: those of different processes have nothing to race for. */
  readonly mostThreads: number;
  readonly processorSeconds: number;
  readonly interrupts: number;
  readonly samples: SampleFigures;
  /** Accesses that samples tell of, for each of the instructions that were sampled themselves. */
  readonly gainOfExtension: number;
  /** The same for each signal. */
  readonly accessesPerInterrupt: number;
  /** Accesses to memory that threads share, and those that could not be judged. */
  readonly sharedAccesses: number;
  readonly unknownTimes: number;
  readonly unknownBlocks: number;
  readonly pairs: number;
  readonly odds: readonly Odds[];
}

interface LookedAt {
  readonly process: SampledProcess;
  readonly run: number;
  readonly images: LoadedImages;
  /** The path of what has one of its own. */
  readonly allocator: string | undefined;
  readonly pass: FirstPass;
  readonly reader: SampleReader;
  readonly figures: SampleFigures;
}

export function analyseSamples(
  runs: readonly AnalysedRun[],
  { symbols }: AnalysisOptions,
): Analysis {
  const store = new ImageStore(symbols);
  const table = new PlaceTable();
  const warnings: string[] = [];
  const looked: LookedAt[] = [];
  const globals = new GlobalGranules();
  for (const [
    run,
    { name, folder, logs, startedAt = Number.POSITIVE_INFINITY },
  ] of runs.entries()) {
    const { processes, problems, warnings: ofRun } = readSampledProcesses(folder, logs);
    const told = [...ofRun, ...problemWarnings(problems)];
    for (const process of processes) {
      const images = new LoadedImages(process.images, store, { folder, startedAt });
      const { pass, reader } = firstPass(process, table, images);
      const allocator = ownAllocator(images.all, process.path);
      told.push(...pass.damage, ...images.uncertain.map(uncertainText));
      if (allocator !== undefined) told.push(ownAllocatorText(allocator));
      looked.push({
        process,
        run,
        images,
        pass,
        reader,
        allocator,
        figures: { ...reader.figures },
      });
      globals.learn(pass.granules, images, process);
    }
    warnings.push(
      ...[...new Set(told)].map((text) => (runs.length > 1 ? `${name}: ${text}` : text)),
    );
  }
  const found = new FoundPairs();
  const across = new AcrossRuns();
  const teller = new Teller(store, table);
  const passes: Pick<SecondPass, 'unknownTimes' | 'unknownBlocks'>[] = [];
  let sharedAccesses = 0;
  for (const [number, one] of looked.entries()) {
    const { process, pass, images, reader, run } = one;
    const granules = globals.granulesOf(pass.granules, images, looked.length > 1);
    const second = secondPass(process, reader, pass.times, granules);
    const place = {
      ...{ process: number, run, nanosecondsPerTick: pass.nanosecondsPerTick },
      objectKey: (address: number) => {
        const global = globalNumber(images, address);
        return global === undefined ? `other ${number} ${address}` : `global ${global}`;
      },
    };
    findRaces(second, table, place, found);
    if (looked.length > 1) noteSides(second, process, images, place, across);
    const { locksets, callers } = second;
    const hasOwnAllocator = one.allocator !== undefined;
    const { hasForeignUnlocks } = process;
    teller.remember({ process, images, locksets, callers, hasOwnAllocator, hasForeignUnlocks });
    passes.push(second);
    sharedAccesses += second.accesses.length;
    for (const log of process.logs) log.close();
  }
  across.addTo(found, table);
  const races = teller.races(found.all);
  const sum = (of: (one: LookedAt) => number): number =>
    looked.reduce((total, one) => total + of(one), 0);
  const samples = {
    samples: sum(({ figures }) => figures.samples),
    uncertain: sum(({ figures }) => figures.uncertain),
    silent: sum(({ figures }) => figures.silent),
    ownAccesses: sum(({ figures }) => figures.ownAccesses),
    accesses: sum(({ figures }) => figures.accesses),
    followed: sum(({ figures }) => figures.followed),
  };
  const processorSeconds = sum(({ pass }) => pass.processorNanoseconds) / 1e9;
  const interrupts = sum(({ pass }) => pass.interrupts);
  return {
    races,
    warnings: [...warnings, ...store.warnings, ...mixedBuilds(store)],
    stats: {
      runs: runs.length,
      processes: looked.length,
      threads: sum(({ process }) => process.logs.length),
      mostThreads: Math.max(0, ...looked.map(({ process }) => process.logs.length)),
      processorSeconds: rounded(processorSeconds),
      interrupts,
      samples,
      gainOfExtension: rounded(samples.accesses / Math.max(1, samples.ownAccesses)),
      accessesPerInterrupt: rounded(samples.accesses / Math.max(1, interrupts)),
      sharedAccesses,
      unknownTimes: passes.reduce((total, { unknownTimes }) => total + unknownTimes, 0),
      unknownBlocks: passes.reduce((total, { unknownBlocks }) => total + unknownBlocks, 0),
      pairs: found.all.length,
      odds: oddsSoFar(samples.accesses, processorSeconds),
    },
  };
}

const rounded = (number: number): number => Math.round(number * 100) / 100;

const uncertainText = (path: string): string =>
  `samples in ${path} are left out: something else was loaded at the same address at another time`;

/** Nothing is combined that belongs to different builds; but whoever gave them together may want to know. */
function mixedBuilds(store: ImageStore): string[] {
  const builds = new Map<string, number>();
  for (const { path, buildId } of store.images) {
    if (buildId !== '') builds.set(path, (builds.get(path) ?? 0) + 1);
  }
  return [...builds]
    .filter(([, count]) => count > 1)
    .map(
      ([path, count]) =>
        `there are samples of ${count} different builds of ${path}: each is looked at by itself`,
    );
}
