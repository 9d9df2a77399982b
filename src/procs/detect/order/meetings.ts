/**
 * Opening a FIFO waits until somebody opens its other end, so that both come after what the other
 * did before:
 *
 *   14: write f, open("fifo", O_RDONLY) …          waits for a writer
 *   15:            open("fifo", O_WRONLY), read f  after 14's write
 *   14:                                    read g  after all that 15 did before its open
 *
 * Both count from their beginning (wakers.ts). Whoever came first has learned from the second one
 * when its own open returns. That an end may have been closed again meanwhile is not looked at,
 * which may hide a race, but never invents one.
 */
import type { Pid, Tid } from '../../../linux/ids.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import { typeOf } from '../../model/file-type.ts';
import { OpenFlag, openFlags } from '../../model/open-flags.ts';
import { streamKey } from './descriptors.ts';

/** Source: <asm-generic/fcntl.h>. */
const O_NONBLOCK = 0o4000;
const OPENS = /^(open|openat2?|creat)$/;

interface Opened {
  process: Pid;
  event: EventId;
  /** Until when it waited, if it did. */
  waitedUntil: number;
}

interface Sides {
  reading: Map<Tid, Opened>;
  writing: Map<Tid, Opened>;
}

export function opensFifo({ file2, result }: CallRecord, name: string): boolean {
  return OPENS.test(name) && result >= 0 && file2 !== undefined && typeOf(file2) === 'pipe';
}

export class Meetings {
  readonly #fifos = new Map<string, Sides>();

  /** The opens of the other end. */
  causesOf(call: CallRecord, name: string): EventId[] {
    if (!opensFifo(call, name) || !waits(call)) return [];
    const { others } = this.#sides(call);
    return others.flatMap((side) => [...side.values()].map(({ event }) => event));
  }

  /** The processes that were waiting for this one at the other end. */
  note(call: CallRecord, name: string, process: Pid, event: EventId): Pid[] {
    if (!opensFifo(call, name)) return [];
    const { own, others } = this.#sides(call);
    const waitedUntil = waits(call) ? call.exit : call.entry;
    const waiting = others.flatMap((side) => [...side.values()]);
    for (const side of own) side.set(call.tid, { process, event, waitedUntil });
    return waiting.flatMap((one) =>
      one.waitedUntil > call.entry && one.process !== process ? [one.process] : [],
    );
  }

  #sides(call: CallRecord): { own: Map<Tid, Opened>[]; others: Map<Tid, Opened>[] } {
    const key = streamKey(call.file2!, 'pipe');
    const sides = this.#fifos.get(key) ?? { reading: new Map(), writing: new Map() };
    this.#fifos.set(key, sides);
    const { reading, writing } = sides;
    const flags = openFlags(call);
    if (flags & OpenFlag.O_RDWR) {
      return { own: [reading, writing], others: [reading, writing] };
    }
    return flags & OpenFlag.O_WRONLY
      ? { own: [writing], others: [reading] }
      : { own: [reading], others: [writing] };
  }
}

/** Who opens both ends, or says so, does not wait; but others may have waited for it. */
const waits = (call: CallRecord): boolean =>
  (openFlags(call) & (O_NONBLOCK | OpenFlag.O_RDWR)) === 0;
