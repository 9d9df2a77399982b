/**
 * Reads from a stream that could have got more or less, had they come at another time (figure 8 of
 * the RacePro paper):
 *
 *   P1   write 10 ─ write 10                  (a) the read gets all 20; it could have got 10
 *   P2                        read 20 = 20
 *
 *   P1   write 10 ───────────────── write 10  (b) the read gets 10; it could have got 20
 *   P2             read 20 = 10
 *
 * A program that reads on until it has all is not hurt by that, nor one that leaves the rest unread.
 * Messages do not add up, and a read that got all that it asked for could not have got more.
 */
import { syscallName } from '../../../linux/syscalls.ts';
import type { EventId } from '../../../order/ids.ts';
import { distance } from '../distance.ts';
import type { DetectedRace } from '../race.ts';
import { endOf, type Step } from '../step.ts';
import type { Timeline } from '../timeline.ts';

/** A read, and two writes of which it could have got only the first, or both. */
interface CumulativeRead {
  read: Step;
  first: Step;
  second: Step;
  withoutConsequence: string | undefined;
}

/** What is done after the step that is being looked at. */
interface Later {
  /** For each stream, the next write into it. */
  writes: Map<string, Step>;
  /** Who will read from which end once more, if only to see that there is no more. */
  readers: Set<string>;
}

/** Those whose third argument is how many bytes they want. */
const ASKS_FOR_BYTES = /^(read|recvfrom)$/;
const READS = /^(read|readv|recvfrom|recvmsg|recvmmsg|splice)$/;

export function cumulativeReads(timeline: Timeline): CumulativeRead[] {
  const later: Later = { writes: new Map(), readers: new Set() };
  const found: CumulativeRead[] = [];
  for (let index = timeline.transfers.length - 1; index >= 0; index--) {
    const step = timeline.transfers[index]!;
    for (const { part, thing } of step.operations) {
      if (part === 'sent') later.writes.set(thing.key, step);
      else if (part === 'taken') {
        const race = cumulative(step, thing.key, later, timeline);
        if (race) found.push(race);
      }
    }
    const reader = readerOf(step);
    if (reader !== undefined) later.readers.add(reader);
  }
  return found.reverse();
}

/** The process and the end that it reads from. */
function readerOf({ record, process }: Step): string | undefined {
  if (record.kind !== 'call' || !record.file) return undefined;
  const { device, inode } = record.file;
  return READS.test(syscallName(record.number)) ? `${process} ${device}:${inode}` : undefined;
}

function cumulative(
  read: Step,
  stream: string,
  later: Later,
  timeline: Timeline,
): CumulativeRead | undefined {
  const { steps, graph, took } = timeline;
  const taken = took.get(read.event);
  const { record } = read;
  if (!taken?.isExact || record.kind !== 'call') return undefined;
  if (!ASKS_FOR_BYTES.test(syscallName(record.number))) return undefined;
  const goesOn = later.readers.has(readerOf(read) ?? '') ? 'the reader goes on reading' : undefined;
  const [first, last] = [taken.givers[0], taken.givers.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (first !== last && !isOrderedOtherwise(timeline, last, read.event, taken.givers)) {
    const pair = { first: steps[first]!, second: steps[last]! };
    return { read, ...pair, withoutConsequence: goesOn };
  }
  const isShort = record.result < (record.args[2] ?? 0);
  const next = later.writes.get(stream);
  if (!isShort || !next || !graph.concurrent(read.event, next.event)) return undefined;
  const unread = goesOn ?? 'the reader leaves the rest unread';
  return { read, first: steps[last]!, second: next, withoutConsequence: unread };
}

/** Whether the write comes before the read by more than the bytes. */
function isOrderedOtherwise(
  { graph }: Timeline,
  write: EventId,
  read: EventId,
  givers: readonly EventId[],
): boolean {
  const previous = graph.previousInTask(read);
  const causes = graph.edgesInto(read).filter((cause) => !givers.includes(cause));
  if (previous !== undefined) causes.push(previous);
  return causes.some((cause) => cause === write || graph.happensBefore(write, cause));
}

export function cumulativeRace(
  { read, first, second, withoutConsequence }: CumulativeRead,
  { graph }: Timeline,
): DetectedRace {
  const writes = [first, second].map((step) => ({
    step,
    role: 'wakeup' as const,
    verb: 'writes to',
  }));
  const parts = [...writes, { step: read, role: 'wait' as const, verb: 'reads from' }];
  const { thing } = read.operations.find(({ part }) => part === 'taken')!;
  return {
    kind: 'wait-wakeups',
    thing,
    type: 'stream',
    parts: parts.sort((a, b) => endOf(a.step) - endOf(b.step)),
    occurrences: 1,
    distance: distance(graph, second.event, read.event),
    isOutput: false,
    withoutConsequence,
  };
}
