/**
 * Our end of the shared file through which the agent reports (layout: agent/deadheat.h).
 *
 *   const channel = openAgentChannel(folder, 1 << 20);
 *   spawn(program, { env: { ...process.env, ...channel.environment } });
 *   for (const record of channel.records()) …
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeBytes, encodeBytes } from '../base/bytes.ts';
import { preloadVariable } from './agent-library.ts';
import {
  AgentKind,
  AgentProblem,
  AgentProtocol,
  CHANNEL_SIZE,
  ChannelAt,
  HelloAt,
  ImageAt,
  ModuleAt,
  ProblemAt,
  RECORD_SIZE,
  RecordAt,
  ThreadNameAt,
} from './agent-protocol.ts';
import { allocateFile } from './allocate-file.ts';
import { type Pid, pid, type Tid, tid } from './ids.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';
import { ownFolder } from './own-process.ts';

export type AgentRecord =
  | AgentHello
  | AgentModule
  | AgentImage
  | AgentThreadName
  | AgentProblemRecord;

/** The agent is in a process. Strings are bytes (`src/base/bytes.ts`). */
export interface AgentHello {
  kind: 'hello';
  pid: Pid;
  protocol: number;
  /** Unlike a pid it is never used twice: not after the process's end, and not after execve. */
  process: number;
  parentPid: Pid;
  /** The process that forked this one; undefined for an executed program. */
  parentProcess: number | undefined;
  path: string;
}

/** An image with clones. */
export interface AgentModule {
  kind: 'module';
  process: number;
  siteBase: number;
  loadBase: number;
  blobBase: number;
  patched: number;
  refused: number;
  /** In hexadecimal digits. */
  buildId: string;
  path: string;
}

/** An image that a sampled program has loaded: it takes the place of what was there before. */
export interface AgentImage {
  kind: 'image';
  process: number;
  /** In ticks. */
  time: bigint;
  loadBase: number;
  begin: number;
  end: number;
  /** It was unloaded. */
  isGone: boolean;
  /** In hexadecimal digits; empty if it has none. */
  buildId: string;
  path: string;
}

/** What a thread is called: the last such record counts. */
export interface AgentThreadName {
  kind: 'thread';
  process: number;
  thread: number;
  /** Undefined if another thread has given it the name. */
  tid: Tid | undefined;
  name: string;
}

export interface AgentProblemRecord {
  kind: 'problem';
  process: number;
  what: keyof typeof AgentProblem | 'unknown';
  /** Undefined: all threads. */
  thread: number | undefined;
  /** Nothing is missing before this synchronisation operation. */
  seq: number;
  errno: number;
  text: string;
}

const problemNames = new Map(
  Object.entries(AgentProblem).map(([name, what]) => [what, name as keyof typeof AgentProblem]),
) as ReadonlyMap<number, keyof typeof AgentProblem>;

export class AgentChannel {
  readonly environment: Readonly<Record<string, string>>;
  readonly #memory: NativeMemory;

  constructor(environment: Readonly<Record<string, string>>, memory: NativeMemory) {
    this.#memory = memory;
    this.environment = environment;
  }

  /** Bytes of records that did not fit. */
  get lost(): number {
    const capacity = this.#memory.bytes.length - CHANNEL_SIZE;
    return Math.max(0, Number(this.#memory.bytes.readBigUInt64LE(ChannelAt.reserved)) - capacity);
  }

  /** All whole records so far. */
  records(): Generator<AgentRecord> {
    return agentRecords(this.#memory.bytes);
  }

  close(): void {
    release(this.#memory);
  }
}

/** All whole records of a channel's file. */
export function* agentRecords(bytes: Buffer): Generator<AgentRecord> {
  for (let at = CHANNEL_SIZE; at + RECORD_SIZE <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + RecordAt.size);
    if (at + size > bytes.length) return;
    const record = decode(bytes, at);
    if (record === undefined) return;
    yield record;
    at += size;
  }
}

/** Undefined if there is none, or not yet a whole one. */
function decode(bytes: Buffer, at: number): AgentRecord | undefined {
  const u32 = (offset: number) => bytes.readUInt32LE(at + offset);
  const u64 = (offset: number) => Number(bytes.readBigUInt64LE(at + offset));
  const text = (offset: number, length: number) =>
    decodeBytes(bytes.subarray(at + offset, at + offset + length));
  switch (u32(RecordAt.kind)) {
    case AgentKind.DH_KIND_HELLO:
      return {
        kind: 'hello',
        pid: pid(u32(HelloAt.pid)),
        protocol: u32(HelloAt.protocol),
        process: u32(HelloAt.process),
        parentPid: pid(u32(HelloAt.parent_pid)),
        parentProcess: u32(HelloAt.parent_process) || undefined,
        path: text(HelloAt.path, u32(HelloAt.path_length)),
      };
    case AgentKind.DH_KIND_MODULE: {
      const idLength = u32(ModuleAt.id_length);
      const id = bytes.subarray(at + ModuleAt.id_and_path, at + ModuleAt.id_and_path + idLength);
      return {
        kind: 'module',
        process: u32(ModuleAt.process),
        siteBase: u32(ModuleAt.site_base),
        loadBase: u64(ModuleAt.load_base),
        blobBase: u64(ModuleAt.blob_base),
        patched: u32(ModuleAt.patched),
        refused: u32(ModuleAt.refused),
        buildId: id.toString('hex'),
        path: text(ModuleAt.id_and_path + idLength, u32(ModuleAt.path_length)),
      };
    }
    case AgentKind.DH_KIND_IMAGE: {
      const idLength = u32(ImageAt.id_length);
      const id = bytes.subarray(at + ImageAt.id_and_path, at + ImageAt.id_and_path + idLength);
      return {
        kind: 'image',
        process: u32(ImageAt.process),
        time: bytes.readBigUInt64LE(at + ImageAt.time),
        loadBase: u64(ImageAt.load_base),
        begin: u64(ImageAt.begin),
        end: u64(ImageAt.end),
        isGone: u32(ImageAt.is_gone) !== 0,
        buildId: id.toString('hex'),
        path: text(ImageAt.id_and_path + idLength, u32(ImageAt.path_length)),
      };
    }
    case AgentKind.DH_KIND_THREAD:
      return {
        kind: 'thread',
        process: u32(ThreadNameAt.process),
        thread: u32(ThreadNameAt.thread),
        tid: u32(ThreadNameAt.tid) === 0 ? undefined : tid(u32(ThreadNameAt.tid)),
        name: text(ThreadNameAt.name, u32(ThreadNameAt.name_length)),
      };
    case AgentKind.DH_KIND_PROBLEM:
      return {
        kind: 'problem',
        process: u32(ProblemAt.process),
        what: problemNames.get(u32(ProblemAt.what)) ?? 'unknown',
        thread: u32(ProblemAt.thread) || undefined,
        seq: u64(ProblemAt.seq),
        errno: u32(ProblemAt.error),
        text: text(ProblemAt.text, u64(ProblemAt.text_length)),
      };
    default:
      return undefined;
  }
}

/** `options`: see `AgentOption`. */
export function openAgentChannel(folder: string, capacity: number, options = 0): AgentChannel {
  // Logs lie beside the channel, wherever the target goes.
  const path = resolve(ownFolder(), folder, 'agent-channel');
  const environment = {
    ...preloadVariable('tracing'),
    [AgentProtocol.DH_CHANNEL_VARIABLE]: path,
  };
  return new AgentChannel(environment, createChannel(path, capacity, options));
}

/** A new file of that size, mapped. */
export function createChannel(path: string, capacity: number, options = 0): NativeMemory {
  const fd = openSync(encodeBytes(path), 'wx+', 0o600);
  try {
    // Not a hole: if the disk is full, we must notice, and not the program that writes into it.
    allocateFile(fd, CHANNEL_SIZE + capacity);
    const memory = mapShared(fd, CHANNEL_SIZE + capacity);
    memory.bytes.writeUInt32LE(AgentProtocol.DH_MAGIC, ChannelAt.magic);
    memory.bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, ChannelAt.protocol);
    memory.bytes.writeBigUInt64LE(BigInt(capacity), ChannelAt.capacity);
    memory.bytes.writeUInt32LE(options, ChannelAt.options);
    return memory;
  } finally {
    closeSync(fd);
  }
}

/** A channel that somebody else has made, and that may still be written. */
export function openAgentRecords(path: string): AgentChannel {
  const fd = openSync(encodeBytes(path), 'r');
  try {
    return new AgentChannel({}, mapShared(fd, fstatSync(fd).size, 0, false));
  } finally {
    closeSync(fd);
  }
}
