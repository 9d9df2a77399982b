/**
 * From what the agent left behind to a trace: all logs of a run are merged into one order, and what only
 * one thread ever touched stays out.
 *
 *   const writer = new ThreadTraceWriter(run.traceFile);
 *   const { problems } = collectTrace({
 *     folder,                                 // with the logs
 *     records: [...channel.records()],
 *     lost: channel.lost,
 *     describe: describeModules(join(folder, 'blobs')),
 *     writer,
 *   });
 *   writer.close({ droppedEvents: 0 });
 */
import type { AgentRecord } from '../../linux/agent-channel.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import type { DescribeModule } from './traced-module.ts';

export interface CollectOptions {
  /** Where the agent has written its logs, `<process>-<thread>.log`. */
  readonly folder: string;
  /** All that went through the channel. */
  readonly records: readonly AgentRecord[];
  /** Bytes of records that did not fit into the channel. */
  readonly lost?: number;
  readonly describe: DescribeModule;
  /** Gets the tables' rows and all events; whoever has opened it closes it. */
  readonly writer: ThreadTraceBuilder;
}

export interface Collected {
  /** What the trace lacks, and why: a line each, for people. */
  readonly problems: readonly string[];
  /** Processes, and threads of all of them. */
  readonly processes: number;
  readonly threads: number;
}

export function collectTrace(_options: CollectOptions): Collected {
  throw new Error('to be written');
}
