/**
 * Our end of the shared file through which the agent reports (layout: agent/deadheat.h).
 *
 *   const channel = openAgentChannel(folder, 1 << 20);
 *   spawn(program, { env: { ...process.env, ...channel.environment } });
 *   for (const record of channel.records()) …
 */
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { agentLibrary } from './agent-library.ts';
import {
  AgentKind,
  AgentProtocol,
  CHANNEL_SIZE,
  ChannelAt,
  HelloAt,
  RECORD_SIZE,
  RecordAt,
} from './agent-protocol.ts';
import { type Pid, pid } from './ids.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';

export interface AgentRecord {
  kind: 'hello';
  pid: Pid;
  protocol: number;
}

export class AgentChannel {
  readonly environment: Readonly<Record<string, string>>;
  readonly #memory: NativeMemory;

  constructor(path: string, memory: NativeMemory) {
    this.#memory = memory;
    const preloaded = process.env.LD_PRELOAD;
    this.environment = {
      LD_PRELOAD: preloaded ? `${agentLibrary()}:${preloaded}` : agentLibrary(),
      [AgentProtocol.DH_CHANNEL_VARIABLE]: path,
    };
  }

  /** Bytes of records that did not fit. */
  get lost(): number {
    const capacity = this.#memory.bytes.length - CHANNEL_SIZE;
    return Math.max(0, Number(this.#memory.bytes.readBigUInt64LE(ChannelAt.reserved)) - capacity);
  }

  /** All whole records so far. */
  *records(): Generator<AgentRecord> {
    const { bytes } = this.#memory;
    for (let at = CHANNEL_SIZE; at + RECORD_SIZE <= bytes.length; ) {
      const kind = bytes.readUInt32LE(at + RecordAt.kind);
      if (kind !== AgentKind.DH_KIND_HELLO) return;
      yield {
        kind: 'hello',
        pid: pid(bytes.readUInt32LE(at + HelloAt.pid)),
        protocol: bytes.readUInt32LE(at + HelloAt.protocol),
      };
      at += bytes.readUInt32LE(at + RecordAt.size);
    }
  }

  close(): void {
    release(this.#memory);
  }
}

export function openAgentChannel(folder: string, capacity: number): AgentChannel {
  const path = join(folder, 'agent-channel');
  const fd = openSync(path, 'wx+', 0o600);
  try {
    ftruncateSync(fd, CHANNEL_SIZE + capacity);
    const memory = mapShared(fd, CHANNEL_SIZE + capacity);
    memory.bytes.writeUInt32LE(AgentProtocol.DH_MAGIC, ChannelAt.magic);
    memory.bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, ChannelAt.protocol);
    memory.bytes.writeBigUInt64LE(BigInt(capacity), ChannelAt.capacity);
    return new AgentChannel(path, memory);
  } finally {
    closeSync(fd);
  }
}
