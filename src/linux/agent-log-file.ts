/**
 * The file of a thread's log, mapped: logs may be larger than memory, and are read several times.
 *
 *   const file = openAgentLog('1-2.log');
 *   if (file.ok) { const log = file.value.read(); … file.value.close(); }
 */
import { constants } from 'node:buffer';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { err, ok, type Result } from '../base/result.ts';
import { type AgentLog, type AgentLogHeader, readAgentLog } from './agent-log.ts';
import { LogHeaderAt } from './agent-protocol.ts';
import { mapToRead, type NativeMemory, release } from './native-memory.ts';

/** `Log`: what reads it, which hangs on the kinds of records that are in it. */
export class LogFile<Log extends { readonly header: AgentLogHeader }> {
  readonly header: AgentLogHeader;
  readonly #memory: NativeMemory;
  readonly #read: ReadLog<Log>;

  constructor(header: AgentLogHeader, memory: NativeMemory, read: ReadLog<Log>) {
    this.header = header;
    this.#memory = memory;
    this.#read = read;
  }

  /** From the beginning. */
  read(): Log {
    const log = this.#read(this.#memory.bytes);
    if (!log.ok) throw new Error(`a log that was readable is not any more: ${log.error}`);
    return log.value;
  }

  /** No log that was read from it may be touched any more. */
  close(): void {
    release(this.#memory);
  }
}

type ReadLog<Log> = (bytes: Buffer) => Result<Log, string>;

export type AgentLogFile = LogFile<AgentLog>;

export interface UnreadableLog {
  readonly reason: string;
  /** The thread has not got to writing anything. */
  readonly isUnwritten: boolean;
}

export const openAgentLog = (path: string): Result<AgentLogFile, UnreadableLog> =>
  openLog(path, readAgentLog);

/** What does not fit into a buffer is left out, and shows as damage. */
export function openLog<Log extends { readonly header: AgentLogHeader }>(
  path: string,
  read: ReadLog<Log>,
): Result<LogFile<Log>, UnreadableLog> {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return err({ reason: 'it is empty', isUnwritten: true });
    const memory = mapToRead(fd, Math.min(size, constants.MAX_LENGTH));
    const log = read(memory.bytes);
    if (log.ok) return ok(new LogFile(log.value.header, memory, read));
    const isUnwritten = size >= 4 && memory.bytes.readUInt32LE(LogHeaderAt.magic) === 0;
    release(memory);
    return err({ reason: log.error, isUnwritten });
  } finally {
    closeSync(fd);
  }
}
