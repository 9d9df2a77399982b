/**
 * The first walk over the logs of a process: which granules threads share, when everything was logged, and what
 * clocks say. Threads are looked at one after the other; what comes before what is for the second walk.
 */
import { SampledKind, SampleFlag } from '../../linux/agent-protocol.ts';
import type { SamplingLog } from '../collect/sampling-log.ts';
import type { LoadedImages } from './code/loaded-images.ts';
import { type PlaceTable, SiteFlag } from './code/place-table.ts';
import { KnownTimes } from './logs/known-times.ts';
import { SampleReader, type ThreadBases } from './logs/sample-reader.ts';
import { progressOver } from './logs/told-progress.ts';
import { GRANULE, GranuleTable } from './memory/granule-table.ts';
import type { SampledProcess } from './sampled-process.ts';

export interface ClockPair {
  readonly tick: number;
  readonly nanoseconds: number;
}

export interface FirstPass {
  readonly granules: GranuleTable;
  readonly times: KnownTimes;
  readonly nanosecondsPerTick: number;
  /** That threads had of processors, while they were sampled. */
  readonly processorNanoseconds: number;
  /** Signals: a hardware record and the signal's own sample are one. */
  readonly interrupts: number;
  /** For people. */
  readonly damage: readonly string[];
}

export function firstPass(
  process: SampledProcess,
  table: PlaceTable,
  images: LoadedImages,
): { readonly pass: FirstPass; readonly reader: SampleReader } {
  const reader = new SampleReader(table, images);
  const granules = new GranuleTable();
  const times = new KnownTimes();
  if (process.lacksLog) times.missAll();
  const damage: string[] = [];
  let [processorNanoseconds, interrupts] = [0, 0];
  let [first, last]: (ClockPair | undefined)[] = [];
  const logs = process.logs.map((file) => file.read());
  const tell = progressOver('kB of samples read', logs);
  for (const [thread, log] of logs.entries()) {
    const threadTimes = times.forThread();
    const bases = { fsBase: 0, gsBase: 0 };
    const used = new ProcessorTime();
    while (log.next()) {
      tell();
      threadTimes.look(log);
      switch (log.kind) {
        case SampledKind.DH_SAMPLED_ACCESS:
          if ((log.flags & SampleFlag.DH_SAMPLE_HARDWARE) === 0) interrupts++;
          touchAll(log, bases, reader, table, granules, thread);
          break;
        case SampledKind.DH_SAMPLED_BASE:
          bases.fsBase = log.fsBase;
          bases.gsBase = log.gsBase;
          break;
        case SampledKind.DH_SAMPLED_CLOCK: {
          const pair = { tick: log.time, nanoseconds: log.nanoseconds };
          if (first === undefined || pair.tick < first.tick) first = pair;
          if (last === undefined || pair.tick > last.tick) last = pair;
          used.clock(log.processorNanoseconds);
          break;
        }
        case SampledKind.DH_SAMPLED_SWITCH:
          used.switched(log.flags === 1);
          break;
        default:
          break;
      }
    }
    threadTimes.finish(log);
    processorNanoseconds += used.total;
    damage.push(...damageOf(log));
  }
  const nanosecondsPerTick = perTick(first, last);
  const pass = { granules, times, nanosecondsPerTick, processorNanoseconds, interrupts, damage };
  return { pass, reader };
}

/** Without two different times, ticks count as nanoseconds. */
function perTick(first: ClockPair | undefined, last: ClockPair | undefined): number {
  if (first === undefined || last === undefined || last.tick <= first.tick) return 1;
  return (last.nanoseconds - first.nanoseconds) / (last.tick - first.tick);
}

/** Of a thread, while it was sampled: from what it had when it was turned on. */
class ProcessorTime {
  total = 0;
  #before: number | undefined;
  #latest = 0;

  clock(nanoseconds: number): void {
    if (this.#before !== undefined) this.total += Math.max(0, nanoseconds - this.#before);
    this.#latest = nanoseconds;
    if (this.#before !== undefined) this.#before = nanoseconds;
  }

  /** It comes right after a clock. */
  switched(isOn: boolean): void {
    this.#before = isOn ? this.#latest : undefined;
  }
}

function touchAll(
  log: SamplingLog,
  bases: ThreadBases,
  reader: SampleReader,
  table: PlaceTable,
  granules: GranuleTable,
  thread: number,
): void {
  const count = reader.read(log, bases);
  for (let i = 0; i < count; i++) {
    const isWrite = (table.siteFlags.at(reader.sites[i]!) & SiteFlag.write) !== 0;
    const address = reader.addresses[i]!;
    const last = Math.floor((address + reader.sizes[i]! - 1) / GRANULE);
    for (let granule = Math.floor(address / GRANULE); granule <= last; granule++) {
      granules.touch(granule, thread, isWrite);
    }
  }
}

function damageOf(log: SamplingLog): string[] {
  const { header, damagedWords, gaps, isCut } = log;
  const name = `${header.process}-${header.thread}.log`;
  return [
    ...(damagedWords > 0
      ? [
          `${name} has ${damagedWords} damaged words in ${gaps} places: what happened around them is not known`,
        ]
      : []),
    ...(isCut ? [`${name} ends too early: what happened since then is not known`] : []),
  ];
}
