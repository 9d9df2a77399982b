/** The events of one process. */
import type { AgentLogFile } from '../../linux/agent-log-file.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { EventMaker } from './event-maker.ts';
import { FirstLook } from './first-look.ts';
import { Lifetimes } from './lifetimes.ts';
import { type Interlude, MergedLogs } from './merged-logs.ts';
import { PlainAtomics } from './plain-atomics.ts';
import { Sharing } from './sharing.ts';
import type { SiteRows } from './site-rows.ts';
import { SyncEvents } from './sync-events.ts';

export interface ProcessToCollect {
  readonly files: readonly AgentLogFile[];
  /** The row of its first thread: those of the others follow, in the order of the files. */
  readonly firstThread: number;
  readonly sites: SiteRows;
  /** From this place in the order on (order-key.ts), something is missing. */
  readonly limit: number;
  readonly interludes: readonly Interlude[];
  readonly writer: ThreadTraceBuilder;
}

export interface CollectedProcess {
  /** What is wrong with the log of each file; undefined if nothing is. */
  readonly damages: readonly (string | undefined)[];
  readonly unheldReleases: number;
  readonly missingReleases: number;
}

export function collectProcess(process: ProcessToCollect): CollectedProcess {
  const { files, firstThread, sites, writer } = process;
  const look = new FirstLook(files);
  look.limit = Math.min(look.limit, process.limit);
  const lifetimes = new Lifetimes(look.memory, look.threads);
  const logs = new MergedLogs(look, lifetimes, new PlainAtomics(look));
  const sharing = new Sharing(lifetimes, (site) => sites.sizeOf(site));
  logs.walk(sharing);
  const granules = sharing.close();
  const sync = new SyncEvents(writer, sites, (number) => {
    const place = look.places.get(number);
    return place === undefined ? undefined : firstThread + place;
  });
  const { isShared } = sharing;
  const events = { writer, lifetimes, granules, isShared, sites, sync, firstThread };
  logs.walk(new EventMaker(events), process.interludes);
  return {
    damages: look.threads.map(({ damage }) => damage),
    unheldReleases: sync.unheldReleases,
    missingReleases: sync.missingReleases,
  };
}
