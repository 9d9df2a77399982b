/**
 * Runs a program with the sampling agent in it, and leaves its logs for `deadheat analyze`:
 *
 *   find the program  →  choose the event  →  run it, steering by the budget  →  samples/, sampled.json
 *
 * All that can be wrong with the program is said before a run directory is made. Once it has run, its own end is
 * what the user gets to see.
 */
import { join } from 'node:path';
import { tryTo } from '../base/result.ts';
import type { AgentRecord } from '../linux/agent-channel.ts';
import { findProgram } from '../linux/find-program.ts';
import { ownEnvironment, ownInheritance } from '../linux/own-inheritance.ts';
import { ownFolder } from '../linux/own-process.ts';
import { processorNsOfChildren } from '../linux/processor-time.ts';
import { type RanProgram, runProgram, withVariables } from '../linux/run-program.ts';
import { signalName } from '../linux/signals.ts';
import { requirePreloadable } from '../preload/require-preloadable.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import type { RunInfo } from '../trace/run-info.ts';
import { Budget, costBetween, NO_COST } from './budget.ts';
import { type ChosenEvent, chooseEvent, type WantedPeriod } from './choose-event.ts';
import type { RunningSamples } from './running-samples.ts';
import { SAMPLES_FOLDER, type SampledInfo, thisMachine, writeSampledInfo } from './sampled-info.ts';
import { createSamplesFolder } from './samples-folder.ts';
import { SpareRoom } from './spare-room.ts';
import { Steering } from './steering.ts';
import type { WindowTimes } from './windows.ts';

export interface SampleProgramOptions {
  /** Of deadheat. */
  readonly version: string;
  readonly period?: WantedPeriod | undefined;
  /** The share that sampling may cost; it steers the period. */
  readonly share?: number | undefined;
  readonly windows?: WindowTimes | undefined;
  readonly stacks: boolean;
  readonly dormant: boolean;
  readonly maxLogBytes: number;
  /** After this time the program is ended. */
  readonly durationMs?: number | undefined;
  /** The user's -o DIR. */
  readonly output?: string | undefined;
  /** Called once the program runs. */
  readonly started?: ((run: Run, event: ChosenEvent) => void) | undefined;
}

export interface SampledProgram {
  readonly run: Run;
  readonly ran: RanProgram;
  /** The script, if it is one, and what runs it. */
  readonly script: string | undefined;
  readonly executable: string;
  readonly event: ChosenEvent;
  readonly info: SampledInfo;
  /** All that the agent said. */
  readonly records: readonly AgentRecord[];
  /** Bytes of what it said that did not fit. */
  readonly lost: number;
  /** How many threads of each process were sampled. */
  readonly threads: readonly number[];
  /** Why the run cannot say how it ended: the program's own end counts all the same. */
  readonly unwritten: string | undefined;
}

export async function sampleProgram(
  command: readonly string[],
  options: SampleProgramOptions,
): Promise<SampledProgram> {
  const { path, executable, script } = findProgram(command[0] ?? '');
  requirePreloadable(executable, 'sample');
  const event = chooseEvent(options.period);
  const { version, output } = options;
  const about = { version, engine: 'sample', recorder: event.kind, cwd: ownFolder() } as const;
  const run = createRun({ ...about, command: [...command] }, { output });
  const room = new SpareRoom(run.path);
  try {
    run.update({ files: { in: 'place' } });
    const program = {
      ...{ path, args: command, environment: ownEnvironment(), inheritance: ownInheritance() },
    };
    const sampled = await sampleInto(run, program, event, options);
    const { ran } = sampled;
    room.giveBack();
    const written = tryTo(() => {
      run.update({ exit: exitOf(ran), ranMs: ran.milliseconds, ...stateOf(ran) });
      writeSampledInfo(run, sampled.info);
    });
    const unwritten = written.ok ? undefined : written.error.message;
    return { run, event, executable, script, unwritten, ...sampled };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    room.giveBack();
    // On a full disk, why it failed is what the user must hear of.
    void tryTo(() => run.update({ state: 'failed', reason }));
    throw error;
  }
}

type Program = Parameters<typeof runProgram>[0];

async function sampleInto(
  run: Run,
  program: Program,
  event: ChosenEvent,
  options: SampleProgramOptions,
): Promise<Pick<SampledProgram, 'ran' | 'info' | 'records' | 'lost' | 'threads'>> {
  const { share, windows, dormant, stacks, maxLogBytes, durationMs } = options;
  const folder = createSamplesFolder(join(run.path, SAMPLES_FOLDER), event, {
    ...{ on: !dormant && windows === undefined, stacks, maxLogBytes },
  });
  const { samples } = folder;
  const budget = share === undefined ? undefined : new Budget(share, event);
  const steering = new Steering(samples, { budget, windows });
  try {
    const info = firstInfo(run, event, options);
    writeSampledInfo(run, info);
    const environment = withVariables(program.environment, folder.environment);
    const started = (): void => {
      steering.begin();
      options.started?.(run, event);
    };
    const before = processorNsOfChildren();
    const ran = await runProgram({ ...program, environment }, { timeoutMs: durationMs, started });
    const processorNs = processorNsOfChildren() - before;
    const whole = { ...info, ...finalInfo(samples, ran, processorNs) };
    const { lost } = samples;
    const threads = Object.values(whole.logs ?? {});
    return { ran, info: whole, records: samples.records(), lost, threads };
  } finally {
    steering.end();
    samples.close();
  }
}

function firstInfo(
  { info: { command, startedAt } }: Run,
  { kind, period, why }: ChosenEvent,
  { version, share, windows, stacks, dormant }: SampleProgramOptions,
): SampledInfo {
  return {
    ...{ schema: 1, version, command, machine: thisMachine(), event: { kind, period, why } },
    ...(share !== undefined && { budget: share }),
    ...(windows && { windows }),
    ...{ stacks, dormant, startedAt },
  };
}

function finalInfo(
  running: RunningSamples,
  { milliseconds }: RanProgram,
  processorNs: number,
): Partial<SampledInfo> {
  const figures = { ...running.figures(), processorNs };
  return {
    ...{
      lastKind: running.kind,
      lastPeriod: running.period,
      ranMs: milliseconds,
      processorMs: processorNs / 1e6,
    },
    ...{
      samples: figures.samples,
      missed: running.missed,
      logs: running.threads(),
      logBytes: running.logBytes,
    },
    ...(processorNs > 0 && { cost: costBetween(NO_COST, figures) }),
  };
}

function exitOf({ end }: RanProgram): NonNullable<RunInfo['exit']> {
  return 'signal' in end ? { signal: signalName(end.signal) } : { code: end.status };
}

function stateOf({ interruptedBy }: RanProgram): Pick<RunInfo, 'state' | 'reason'> {
  if (interruptedBy === undefined) return { state: 'complete' };
  return { state: 'interrupted', reason: `ended by ${signalName(interruptedBy)}` };
}
