/**
 * Runs a program with the sampling agent in it, and reads what its threads have logged:
 *
 *   const run = samplingRun(sampledProgram('random-locks.c'), ['1']);
 *   run.samples('1')   →  [{ flags: 8, locks: ['55d0c0', '55d100s'], … }, …]
 *   run.lines('1')     →  ['begin', 'fork 2', 'join 2']
 *
 * Unless something else is asked for, samples are only taken where the program itself has one taken
 * (test/sampling/sample-now.h).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRecord } from '../../src/linux/agent-channel.ts';
import { LOG_OP_NAMES } from '../../src/linux/agent-log.ts';
import { SampledKind } from '../../src/linux/agent-protocol.ts';
import {
  createSampling,
  type Sampling,
  type SamplingFigures,
  type SamplingOptions,
} from '../../src/linux/sampling-control.ts';
import { isShared, lockAddress } from '../../src/sample/analyse/logs/locksets.ts';
import { openSamplingLog, type SamplingLog } from '../../src/sample/collect/sampling-log.ts';
import { scratchFolder } from './scratch.ts';

/** A program of test/sampling/, compiled. */
export function sampledProgram(name: string, ...flags: string[]): string {
  const source = new URL(`../sampling/${name}`, import.meta.url).pathname;
  const binary = join(scratchFolder(), name.replace(/\..*/, ''));
  execFileSync('cc', ['-O1', '-g', '-Wall', '-o', binary, source, ...flags]);
  return binary;
}

export interface TakenSample {
  readonly flags: number;
  readonly place: number;
  /** By the processor's own numbers. */
  readonly registers: number[];
  /** Addresses in hexadecimal digits, with `s` behind those that are shared. */
  readonly locks: string[];
  readonly stack: number[];
}

export interface Block {
  readonly address: number;
  readonly isFreed: boolean;
  readonly size: number;
}

/** Long enough that no sample is taken by itself. */
export const NEVER = 1e15;
const ON_REQUEST: SamplingOptions = { event: { kind: 'timer' }, period: NEVER, on: true };

export const newSampling = (
  options: Partial<SamplingOptions> = {},
  folder?: string,
): Sampling & { folder: string } => {
  const samples = join(mkdtempSync(join(folder ?? scratchFolder(), 'run-')), 'samples');
  return { ...createSampling(samples, { ...ON_REQUEST, ...options }), folder: samples };
};

export interface SamplingRun extends SampledFolder {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly records: AgentRecord[];
  readonly figures: SamplingFigures;
}

export function samplingRun(
  program: string,
  args: readonly string[] = [],
  options: Partial<SamplingOptions> & { folder?: string; env?: Record<string, string> } = {},
): SamplingRun {
  const sampling = newSampling(options, options.folder);
  const { stdout, stderr, status, signal } = spawnSync(program, args, {
    env: { ...process.env, ...options.env, ...sampling.environment },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const records = [...sampling.channel.records()];
  const figures = sampling.control.figures();
  sampling.channel.close();
  sampling.control.close();
  return { status, signal, stdout, stderr, records, figures, ...sampledFolder(sampling.folder) };
}

export interface SampledFolder {
  /** All logs there are, as '1-1', '1-2'. */
  readonly names: string[];
  /** Of a thread, given as '1' or, for another process than the first, '2-1'. */
  samples(name: string): TakenSample[];
  blocks(name: string): Block[];
  /** Those that were told before the first sample, between it and the second, and so on. */
  blocksBetweenSamples(name: string): Block[][];
  /** SYNC and SWITCH records. */
  lines(name: string): string[];
}

export function sampledFolder(folder: string): SampledFolder {
  const read = <T>(name: string, take: (log: SamplingLog) => T[]): T[] => {
    const path = join(folder, `${name.includes('-') ? name : `1-${name}`}.log`);
    const file = openSamplingLog(path);
    if (!file.ok) throw new Error(`${name}: ${file.error.reason}`);
    const log = file.value.read();
    const taken: T[] = [];
    while (log.next()) taken.push(...take(log));
    if (log.gaps > 0 || log.isCut) throw new Error(`${path} is damaged`);
    file.value.close();
    return taken;
  };
  return {
    names: readdirSync(folder)
      .filter((file) => file.endsWith('.log'))
      .map((file) => file.slice(0, -4))
      .sort(),
    samples: (name) => read(name, sampleOf),
    blocks: (name) => read(name, blocksOf),
    blocksBetweenSamples(name) {
      const parts: Block[][] = [[]];
      read(name, (log) => {
        if (log.kind === SampledKind.DH_SAMPLED_ACCESS) parts.push([]);
        parts.at(-1)!.push(...blocksOf(log));
        return [];
      });
      return parts;
    },
    lines: (name) => read(name, lineOf),
  };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function sampleOf(log: SamplingLog): TakenSample[] {
  if (log.kind !== SampledKind.DH_SAMPLED_ACCESS) return [];
  const locks = upTo(log.locks).map((index) => {
    const lock = log.lock(index);
    return `${lockAddress(lock).toString(16)}${isShared(lock) ? 's' : ''}`;
  });
  const stack = upTo(log.stackWords).map((index) => log.returnAddress(index));
  const registers = upTo(16).map((number) => log.register(number));
  return [{ flags: log.flags, place: log.place, registers, locks, stack }];
}

function blocksOf(log: SamplingLog): Block[] {
  if (log.kind !== SampledKind.DH_SAMPLED_MEMORY) return [];
  return upTo(log.blocks).map((index) => ({
    address: log.blockAddress(index),
    isFreed: log.isFreed(index),
    size: log.blockSize(index),
  }));
}

function lineOf(log: SamplingLog): string[] {
  if (log.kind === SampledKind.DH_SAMPLED_SWITCH) return [log.op === 0 ? 'off' : 'on'];
  if (log.kind !== SampledKind.DH_SAMPLED_SYNC) return [];
  const name = LOG_OP_NAMES[log.op] ?? '?';
  const takesNumber = ['fork', 'join', 'process-fork'].includes(name);
  return [takesNumber ? `${name} ${log.extra}` : name];
}
