/**
 * Turns a recording into steps with an order between them: the happens-before graph, and for each
 * of its events what was done.
 *
 * Known order: program order, fork to child, vfork's child to its waiting parent, exit to wait,
 * signal to its delivery, and what the files in order/ add: streams, connections, locks, semaphores
 * and the like, poll and inotify. A process counts as one task whose events come in the order in
 * which they were seen: how its threads synchronise is not recorded, so that two threads of one
 * process never race here.
 *
 * A recorder learns of a call when it ends; a write into a pipe may end after the read that got its
 * bytes. Calls that let others go on (wakers.ts) therefore take their place by their entry, all else
 * by its end. If anybody watches files (watches.ts), changing one lets others go on too.
 */
import { tellingOf } from '../../base/progress.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { Files } from '../model/files.ts';
import { isWaker } from './order/wakers.ts';
import { addsWatch, mayTellWatchers } from './order/watches.ts';
import type { Timeline } from './timeline-builder.ts';
import { TimelineBuilder } from './timeline-builder.ts';

export type { ChildWait, Timeline } from './timeline-builder.ts';

/** `folder` is where the recorded command was started; `folders` and `devices` as in run.json. */
export function buildTimeline(
  records: readonly TraceRecord[],
  folder: string,
  folders?: Readonly<Record<string, string>>,
  devices?: Readonly<Record<string, string>>,
): Timeline {
  const builder = new TimelineBuilder(new Files(folder, folders, devices), true);
  for (const record of tellingOf('calls put in order', inOrder(records))) builder.add(record);
  return builder.timeline;
}

/**
 * The same without the order that comes from waits which may only have met a child in passing:
 *
 *   sh: job &  sleep 1  cat result      the wait for sleep has met the job, and goes on to wait
 *
 * There is less order in it than there really is, so that what is found here has to be proven.
 * undefined if there are no such waits.
 */
export function buildDoubtfulTimeline(
  records: readonly TraceRecord[],
  folder: string,
  folders?: Readonly<Record<string, string>>,
  devices?: Readonly<Record<string, string>>,
): Timeline | undefined {
  const builder = new TimelineBuilder(new Files(folder, folders, devices), false);
  for (const record of tellingOf('calls put in a weaker order', inOrder(records))) {
    builder.add(record);
  }
  return builder.hasIncidentalWaits ? builder.timeline : undefined;
}

/** As they took effect; `fromStart`: which calls more count from their beginning. */
export function inOrder(
  records: readonly TraceRecord[],
  fromStart: (call: CallRecord) => boolean = () => false,
): TraceRecord[] {
  const isWatched = records.some((record) => record.kind === 'call' && addsWatch(record));
  const place = (record: TraceRecord): number => {
    if (record.kind !== 'call') return record.sequence;
    const letsGoOn = isWaker(record) || fromStart(record) || (isWatched && mayTellWatchers(record));
    return letsGoOn ? record.entry : record.exit;
  };
  return [...records].sort((a, b) => place(a) - place(b));
}
