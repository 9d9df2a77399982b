/**
 * Which files the command's own process had loaded when it was sampled, after each exec of it: what is watched when
 * the command is run again.
 *
 *   env A=1 ./server      env, server, libc.so.6: env becomes the server
 *   timeout 8 ./server    timeout, libc.so.6: the server is a child, which nobody follows
 */
import { join } from 'node:path';
import { type AgentRecord, openAgentRecords } from '../linux/agent-channel.ts';
import { AgentProtocol } from '../linux/agent-protocol.ts';
import type { Run } from '../trace/run-directory.ts';
import { SAMPLES_FOLDER } from './sampled-info.ts';

export function sampledRecords({ path }: Pick<Run, 'path'>): AgentRecord[] {
  const channel = openAgentRecords(join(path, SAMPLES_FOLDER, AgentProtocol.DH_SAMPLING_CHANNEL));
  try {
    return [...channel.records()];
  } finally {
    channel.close();
  }
}

/** Their paths. */
export function ownImages(records: readonly AgentRecord[]): ReadonlySet<string> {
  const hellos = records.filter((one) => one.kind === 'hello');
  const own = new Set(
    hellos.filter(({ pid }) => pid === hellos[0]?.pid).map(({ process }) => process),
  );
  const images = records.filter((one) => one.kind === 'image' && own.has(one.process));
  return new Set(images.flatMap((one) => ('path' in one ? [one.path] : [])));
}
