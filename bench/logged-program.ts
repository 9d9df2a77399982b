/** What the agent logs of a program: how many bytes, for how many accesses. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuildId } from '../src/binary/elf/build-id.ts';
import { ElfFile } from '../src/binary/elf/elf-file.ts';
import { encodeBlob } from '../src/binary/rewrite/blob.ts';
import { rewriteImage } from '../src/binary/rewrite/rewrite.ts';
import { openAgentChannel } from '../src/linux/agent-channel.ts';
import { readAgentLog } from '../src/linux/agent-log.ts';
import {
  AgentOption,
  DH_LOG_WINDOW,
  LOG_HEADER_SIZE,
  LogKind,
} from '../src/linux/agent-protocol.ts';

export interface Logged {
  /** Of all logs, without what is left of their windows. */
  readonly bytes: number;
  /** Accesses that they tell of; those in runs counted one by one. */
  readonly accesses: number;
}

const CHANNEL_BYTES = 1 << 20;

export function loggedBy(program: string, args: readonly string[], folder: string): Logged {
  const logs = mkdtempSync(join(folder, 'logs-'));
  try {
    mkdirSync(join(logs, 'blobs'));
    const elf = new ElfFile(readFileSync(program));
    const clones = encodeBlob(rewriteImage(elf, { logs: true }).blob);
    writeFileSync(join(logs, 'blobs', readBuildId(elf) ?? ''), clones);
    const channel = openAgentChannel(logs, CHANNEL_BYTES, AgentOption.DH_OPTION_LOG);
    const env = { ...process.env, ...channel.environment };
    const { status } = spawnSync(program, args, { env, stdio: 'ignore' });
    channel.close();
    if (status !== 0) throw new Error(`'${program}' ended with ${status} under the agent`);
    return readdirSync(logs)
      .filter((file) => file.endsWith('.log'))
      .map((file) => loggedIn(readFileSync(join(logs, file))))
      .reduce((one, other) => ({
        bytes: one.bytes + other.bytes,
        accesses: one.accesses + other.accesses,
      }));
  } finally {
    rmSync(logs, { recursive: true });
  }
}

function loggedIn(file: Buffer): Logged {
  const log = readAgentLog(file);
  if (!log.ok) throw new Error(log.error);
  let accesses = 0;
  while (log.value.next()) {
    const { kind } = log.value;
    if (kind === LogKind.DH_LOG_RUN) accesses += log.value.count;
    else if (kind === LogKind.DH_LOG_ACCESS || kind === LogKind.DH_LOG_RANGE) accesses++;
    else if (kind === LogKind.DH_LOG_ATOMIC) accesses++;
  }
  const window = file.subarray(LOG_HEADER_SIZE, DH_LOG_WINDOW);
  const inWindow = window.findLastIndex((byte) => byte !== 0) + 1;
  return { bytes: inWindow + Math.max(file.length - DH_LOG_WINDOW, 0), accesses };
}
