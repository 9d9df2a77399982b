/**
 * The processes of a run, as its folder has them: `processes`, which says what each is and what it has loaded, and
 * the logs of its threads.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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
  /** The log of a thread cannot be read: that thread may have met the others at any time. */
  readonly lacksLog: boolean;
  /** Locks are let go by others than those that took them. */
  readonly hasForeignUnlocks: boolean;
  /** What threads are called at last, by number. */
  readonly threadNames: ReadonlyMap<number, string>;
}

export interface SampledProcesses {
  readonly processes: readonly SampledProcess[];
  readonly problems: readonly AgentProblemRecord[];
  /** For people: logs that cannot be read. */
  readonly warnings: readonly string[];
}

/** How many logs each process had at the end, by its number in the run; not known of a run that has not ended. */
export type LogCounts = Readonly<Record<string, number>>;

/** `folder`: where control, processes and logs are. The logs are open then. */
export function readSampledProcesses(folder: string, counts: LogCounts = {}): SampledProcesses {
  const warnings: string[] = [];
  const channel = join(folder, AgentProtocol.DH_SAMPLING_CHANNEL);
  const read = tryTo(() => recordsOf(channel));
  if (!read.ok) warnings.push(`${channel} cannot be read: nothing is known of what was loaded`);
  const { records, lost } = read.ok ? read.value : { records: [], lost: 0 };
  if (lost > 0) {
    warnings.push(
      `${channel} lacks ${lost} bytes at its end: what was loaded last, and what the agent complained about, is not known`,
    );
  }
  const { logs, unreadable } = openLogs(folder, records);
  unreadable.push(...missingLogs(folder, counts));
  warnings.push(...unreadable.map(({ text }) => text));
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
      lacksLog: unreadable.some(({ process }) => process === number),
      hasForeignUnlocks: own.some(
        (one) => one.kind === 'problem' && one.what === 'DH_PROBLEM_FOREIGN_UNLOCK',
      ),
      threadNames: new Map(
        own.flatMap((one) => (one.kind === 'thread' ? [[one.thread, one.name] as const] : [])),
      ),
    };
  });
  const problems = records.filter((one) => one.kind === 'problem');
  return { processes: withInherited(processes, records), problems, warnings };
}

/** `lost`: bytes that were written, and are not there. */
function recordsOf(path: string): { records: AgentRecord[]; lost: number } {
  const channel = openAgentRecords(path);
  try {
    return { records: [...channel.records()], lost: channel.lost };
  } finally {
    channel.close();
  }
}

interface OpenedLogs {
  readonly logs: SamplingLogFile[];
  readonly unreadable: { readonly process: number; readonly text: string }[];
}

function openLogs(folder: string, records: readonly AgentRecord[]): OpenedLogs {
  const opened: OpenedLogs = { logs: [], unreadable: [] };
  for (const name of readdirSync(folder).sort()) {
    const process = processOfLog(name);
    if (Number.isNaN(process)) continue;
    const log = openSamplingLog(join(folder, name));
    if (log.ok) opened.logs.push(log.value);
    else if (!(log.error.isUnwritten && hasStopped(process, records))) {
      const left = `the log ${name} is left out: ${log.error.reason}`;
      const text = `${left}; races of its process cannot be told, since nobody knows when that thread met others`;
      opened.unreadable.push({ process, text });
    }
  }
  return opened;
}

/** Those that somebody has taken away since. */
function missingLogs(folder: string, counts: LogCounts): OpenedLogs['unreadable'] {
  const names = readdirSync(folder);
  return Object.entries(counts).flatMap(([key, count]) => {
    const process = Number(key);
    const found = names.filter((name) => processOfLog(name) === process);
    const missing = count - found.length;
    if (missing <= 0) return [];
    const gone = `${missing} of ${count} logs of process ${process} (${process}-*.log) are missing`;
    const text = `${gone}; its races cannot be told, since nobody knows when these threads met others`;
    return [{ process, text }];
  });
}

/** NaN for other files. `2-1.log` is that of the first thread of the second process. */
const processOfLog = (name: string): number => Number(/^(\d+)-\d+\.log$/.exec(name)?.[1]);

/** The first log that finds no room is left empty, and since then nobody has logged anything. */
const hasStopped = (process: number, records: readonly AgentRecord[]): boolean =>
  records.some(
    (one) =>
      one.kind === 'problem' && one.process === process && one.what === 'DH_PROBLEM_LOG_STOPPED',
  );

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
