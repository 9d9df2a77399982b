/** Makes the trace of what the agent left behind, and says what is in it and what is not. */
import type { AgentModule, AgentProblemRecord, AgentRecord } from '../../linux/agent-channel.ts';
import { errnoName } from '../../linux/errno.ts';
import { collectTrace } from '../collect/collect.ts';
import { describeModules } from '../collect/traced-module-file.ts';
import { ThreadTraceWriter } from '../storage/writer.ts';
import type { AgentFolder } from './agent-folder.ts';
import type { PreparedImage } from './prepare-blobs.ts';
import type { AgentRun } from './run-with-agent.ts';

export interface TraceContents {
  readonly events: number;
  readonly threads: number;
  readonly processes: number;
  /** What it lacks, and why: a line each. */
  readonly problems: readonly string[];
  /** Why it ends before the program did. */
  readonly stopped: string | undefined;
}

export function writeTrace(
  file: string,
  { path: folder, blobs }: AgentFolder,
  { records, lost }: AgentRun,
  images: readonly PreparedImage[],
): TraceContents {
  const describe = describeModules(blobs);
  const skippedIn = ({ buildId }: AgentModule) =>
    images.find(({ image }) => image.key === buildId)?.clones.skipped ?? [];
  const writer = new ThreadTraceWriter(file);
  const collected = abandoningIfThrown(writer, () =>
    collectTrace({
      ...{ folder, records, lost, writer },
      describe: (module) => ({ ...describe(module), skipped: skippedIn(module) }),
    }),
  );
  const { problems, threads, processes } = collected;
  const stop = records.find(isStop);
  const stopped = stop && whyStopped(stop);
  const { length: events } = writer;
  writer.close({ droppedEvents: 0, ...(stopped && { interrupted: stopped }) });
  return { events, threads, processes, problems, stopped };
}

const isStop = (record: AgentRecord): record is AgentProblemRecord =>
  record.kind === 'problem' && record.what === 'DH_PROBLEM_LOG_STOPPED';

function whyStopped({ errno }: AgentProblemRecord): string {
  const code = errnoName(errno);
  return code === 'ENOSPC' ? 'the disk was full' : `its logs could not be written (${code})`;
}

function abandoningIfThrown<T>(writer: ThreadTraceWriter, act: () => T): T {
  try {
    return act();
  } catch (error) {
    writer.abandon();
    throw error;
  }
}
