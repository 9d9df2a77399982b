/**
 * Runs a program as it is, with null clones, or with clones that log:
 *
 *   const run = clonedRun(program, 'logging');
 *   run.accesses('1')  →  [{ epoch: 2, address: 0x5555…, size: 4, flags: 'w', site: 0x1149, … }, …]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuildId } from '../../src/binary/elf/build-id.ts';
import { ElfFile } from '../../src/binary/elf/elf-file.ts';
import { type Blob, blobTable, encodeBlob } from '../../src/binary/rewrite/blob.ts';
import { rewriteImage, type Skipped } from '../../src/binary/rewrite/rewrite.ts';
import { type AgentRecord, openAgentChannel } from '../../src/linux/agent-channel.ts';
import { AccessFlag, AgentOption, LogKind } from '../../src/linux/agent-protocol.ts';
import { readLog } from './agent-run.ts';
import { scratchFolder } from './scratch.ts';

/** `unhoisted`: logging each iteration of all loops. */
export type CloneMode = 'native' | 'null' | 'logging' | 'unhoisted';

/** A program of test/clones/, compiled. */
export function compiledForClones(name: string, ...flags: string[]): string {
  const source = new URL(`../clones/${name}`, import.meta.url).pathname;
  return compiledFile(source, ...flags);
}

export function compiledFile(source: string, ...flags: string[]): string {
  const binary = join(scratchFolder(), 'program');
  const compiler = source.endsWith('.cc') ? 'c++' : 'cc';
  execFileSync(compiler, ['-g', '-pthread', '-o', binary, source, ...flags], { stdio: 'pipe' });
  return binary;
}

export interface LoggedAccess {
  kind: 'access' | 'run' | 'range' | 'earlier' | 'atomic';
  epoch: number;
  address: number;
  /** Of one element. */
  size: number;
  /** 'r', 'w' or 'rw'. */
  flags: string;
  /** The instruction, as an address of the image; -1 if not known. */
  site: number;
  /** Of EARLIER: the other thread, and its epoch. */
  other?: { thread: number; epoch: number };
}

export interface ClonedRun {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  skipped: readonly Skipped[];
  blob: Blob;
  records: AgentRecord[];
  folder: string;
  /**
   * What a thread has logged: '1', or '2-1' for another process; runs element by element.
   * @param address only what begins there.
   */
  accesses(thread: string, address?: number): LoggedAccess[];
}

export function clonedRun(program: string, mode: CloneMode, ...args: string[]): ClonedRun {
  const folder = mkdtempSync(join(scratchFolder(), 'run-'));
  mkdirSync(join(folder, 'blobs'));
  const elf = new ElfFile(readFileSync(program));
  const logs = mode === 'logging' || mode === 'unhoisted';
  const rewritten = rewriteImage(elf, { logs, hoistsLoops: mode !== 'unhoisted' });
  const file = encodeBlob(rewritten.blob);
  if (mode !== 'native') writeFileSync(join(folder, 'blobs', readBuildId(elf)!), file);
  const channel = openAgentChannel(folder, 1 << 20, AgentOption.DH_OPTION_LOG);
  const { stdout, stderr, status, signal } = spawnSync(program, args, {
    env: { ...process.env, ...(mode === 'native' ? {} : channel.environment) },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const records = [...channel.records()];
  channel.close();
  return {
    ...{ stdout, stderr, status, signal, records, folder },
    ...{ skipped: rewritten.skipped, blob: rewritten.blob },
    accesses: (thread, address) => accessesOf(folder, thread, blobTable(file, 'sites'), address),
  };
}

const NO_SITE = 0x1fffff;

function accessesOf(
  folder: string,
  thread: string,
  sites: Uint32Array,
  wanted: number | undefined,
): LoggedAccess[] {
  const log = readLog(folder, thread);
  const accesses: LoggedAccess[] = [];
  const siteOf = (number: number): number => (number === NO_SITE ? -1 : (sites[number] ?? -1));
  const flagsOf = (op: number): string =>
    (op & AccessFlag.DH_READ ? 'r' : '') + (op & AccessFlag.DH_WRITE ? 'w' : '');
  const isWanted = (address: number): boolean => wanted === undefined || address === wanted;
  let epoch = 0;
  const add = (kind: LoggedAccess['kind'], more: Partial<LoggedAccess> = {}): void => {
    if (!isWanted(more.address ?? log.address)) return;
    const { address, small: size } = log;
    const common = { kind, epoch, address, size, flags: flagsOf(log.op), site: siteOf(log.site) };
    accesses.push({ ...common, ...more });
  };
  while (log.next()) {
    const { kind } = log;
    if (kind === LogKind.DH_LOG_ACCESS) add('access');
    else if (kind === LogKind.DH_LOG_ATOMIC) add('atomic');
    else if (kind === LogKind.DH_LOG_RANGE) add('range', { size: log.length });
    else if (kind === LogKind.DH_LOG_RUN) {
      for (let n = 0; n < log.count; n++) add('run', { address: log.address + n * log.stride });
    } else if (kind === LogKind.DH_LOG_EARLIER) {
      const other = { thread: log.otherThread, epoch: log.epoch };
      add('earlier', { site: siteOf(log.otherSite), other });
    }
    if (kind === LogKind.DH_LOG_SYNC || kind === LogKind.DH_LOG_ATOMIC) epoch++;
  }
  if (log.damage !== undefined) throw new Error(log.damage);
  return accesses;
}
