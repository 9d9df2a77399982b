/**
 * The processes of a run, as its folder has them: `processes`, which says what each is and what it has loaded, and
 * the logs of its threads.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tryTo } from '../../base/result.ts';
import {
  type AgentImage,
  type AgentProblemRecord,
  type AgentRecord,
  openAgentRecords,
} from '../../linux/agent-channel.ts';
import { AgentProtocol } from '../../linux/agent-protocol.ts';
import { openSamplingLog, type SamplingLogFile } from '../collect/sampling-log.ts';

export interface SampledProcess {
  /** Its number in the run. */
  readonly number: number;
  readonly pid: number;
  /** Of the executable. */
  readonly path: string;
  readonly images: readonly AgentImage[];
  readonly logs: readonly SamplingLogFile[];
  /** What threads are called at last, by number. */
  readonly threadNames: ReadonlyMap<number, string>;
}

export interface SampledProcesses {
  readonly processes: readonly SampledProcess[];
  readonly problems: readonly AgentProblemRecord[];
  /** For people: logs that cannot be read. */
  readonly warnings: readonly string[];
}

/** `folder`: where control, processes and logs are. The logs are open then. */
export function readSampledProcesses(folder: string): SampledProcesses {
  const warnings: string[] = [];
  const logs = openLogs(folder, warnings);
  const channel = join(folder, AgentProtocol.DH_SAMPLING_CHANNEL);
  const read = tryTo(() => recordsOf(channel));
  if (!read.ok) warnings.push(`${channel} cannot be read: nothing is known of what was loaded`);
  const records = read.ok ? read.value : [];
  const numbers = [...new Set(logs.map(({ header }) => header.process))].sort((a, b) => a - b);
  const processes = numbers.map((number): SampledProcess => {
    const own = records.filter((one) => one.process === number);
    const hello = own.find((one) => one.kind === 'hello');
    const ownLogs = logs.filter(({ header }) => header.process === number);
    return {
      number,
      pid: hello?.pid ?? ownLogs[0]!.header.pid,
      path: hello?.path ?? '',
      images: own.filter((one) => one.kind === 'image'),
      logs: ownLogs.sort((one, other) => one.header.thread - other.header.thread),
      threadNames: new Map(
        own.flatMap((one) => (one.kind === 'thread' ? [[one.thread, one.name] as const] : [])),
      ),
    };
  });
  const problems = records.filter((one) => one.kind === 'problem');
  return { processes: withInherited(processes, records), problems, warnings };
}

function recordsOf(path: string): AgentRecord[] {
  const channel = openAgentRecords(path);
  try {
    return [...channel.records()];
  } finally {
    channel.close();
  }
}

function openLogs(folder: string, warnings: string[]): SamplingLogFile[] {
  const names = readdirSync(folder).filter((name) => /^\d+-\d+\.log$/.test(name));
  return names.sort().flatMap((name) => {
    const opened = openSamplingLog(join(folder, name));
    if (opened.ok) return [opened.value];
    if (!opened.error.isUnwritten) {
      warnings.push(`the log ${basename(name)} is left out: ${opened.error.reason}`);
    }
    return [];
  });
}

/** The child of a fork has what its parent had, and does not say so again. */
function withInherited(
  processes: readonly SampledProcess[],
  records: readonly AgentRecord[],
): SampledProcess[] {
  const parents = new Map(
    records.flatMap((one) =>
      one.kind === 'hello' && one.parentProcess !== undefined
        ? [[one.process, one.parentProcess] as const]
        : [],
    ),
  );
  const imagesOf = (number: number): AgentImage[] => {
    const own = records.filter((one) => one.kind === 'image' && one.process === number);
    const parent = parents.get(number);
    return [...(parent === undefined ? [] : imagesOf(parent)), ...(own as AgentImage[])];
  };
  return processes.map((one) => ({ ...one, images: imagesOf(one.number) }));
}
