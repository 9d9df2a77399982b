/**
 * Things that are handed over from one process to another: semaphores, futexes, messages, signals
 * that are fetched. Whoever gets one comes after all who have given one so far; that may hide a
 * race, but never invents one.
 *
 *   14: semop(7, +1)        gives
 *   15: semop(7, -1)        gets: after 14's
 *
 * Futexes in shared memory are one kind, wherever they lie. A process that ends gives up those that
 * it held (robust futexes), so a futex that was got also comes after whoever ended meanwhile. A
 * lock that was free when it was taken leaves no system call, and so no order.
 */
import { firstIndex } from '../../../base/bisect.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { typeOf } from '../../model/file-type.ts';
import { GiversByKey } from './givers.ts';
import { semaphoreSteps } from './semaphore-steps.ts';

export interface Exchange {
  gives?: string | undefined;
  gets?: string | undefined;
}

const NOTHING: Exchange = {};
const NO_CAUSES: readonly EventId[] = [];
const SIGNALS = 'signals';
const FUTEXES = 'futexes';

/** Source: <linux/futex.h>. */
const FUTEX_COMMAND = 0x7f;
const FUTEX_WAITS = new Set([0, 6, 9, 11, 13]);
/** Source: <linux/sem.h>. */
const SETVAL = 16;
const SETALL = 17;

export class Handovers {
  readonly #given: GiversByKey;
  readonly #signalDescriptors = new Set<number>();
  readonly #exits: { sequence: number; event: EventId }[] = [];

  constructor(graph: HappensBeforeGraph) {
    this.#given = new GiversByKey(graph);
  }

  exchangeOf(call: CallRecord, name: string): Exchange {
    if (call.result < 0) return NOTHING;
    const id = call.args[0] ?? 0;
    switch (name) {
      case 'kill':
      case 'tkill':
      case 'tgkill':
      case 'rt_sigqueueinfo':
      case 'rt_tgsigqueueinfo':
      case 'pidfd_send_signal':
        return { gives: SIGNALS };
      case 'rt_sigtimedwait':
        return { gets: SIGNALS };
      case 'read':
        return this.#readsSignals(call) ? { gets: SIGNALS } : NOTHING;
      case 'msgsnd':
        return { gives: `message queue ${id}` };
      case 'msgrcv':
        return { gets: `message queue ${id}` };
      case 'mq_timedsend':
        return { gives: queueKey(call) };
      case 'mq_timedreceive':
        return { gets: queueKey(call) };
      case 'semop':
      case 'semtimedop':
        return semaphoreExchange(call, `semaphores ${id}`);
      case 'semctl': {
        const command = call.args[2] ?? 0;
        return command === SETVAL || command === SETALL ? { gives: `semaphores ${id}` } : NOTHING;
      }
      case 'futex': {
        const isWait = FUTEX_WAITS.has((call.args[1] ?? 0) & FUTEX_COMMAND);
        return isWait ? { gets: FUTEXES } : { gives: FUTEXES };
      }
    }
    return NOTHING;
  }

  causesOf(call: CallRecord, { gets }: Exchange, taker: TaskId): readonly EventId[] {
    if (gets === undefined) return NO_CAUSES;
    const given = this.#given.newTo(taker, gets);
    if (gets !== FUTEXES) return given;
    const meanwhile = firstIndex(this.#exits, ({ sequence }) => sequence > call.entry);
    return [...given, ...this.#exits.slice(meanwhile).map(({ event }) => event)];
  }

  note(call: CallRecord, name: string, { gives }: Exchange, event: EventId): void {
    if (name.startsWith('signalfd') && call.file2) this.#signalDescriptors.add(call.file2.id);
    if (gives !== undefined) this.#given.add(gives, event);
  }

  /** The number of an old descriptor is used again. */
  created({ id }: KernelFile): void {
    this.#signalDescriptors.delete(id);
  }

  exited(sequence: number, event: EventId): void {
    this.#exits.push({ sequence, event });
  }

  /** Without a number of its own, any event descriptor may be one for signals. */
  #readsSignals({ file }: CallRecord): boolean {
    if (!file || typeOf(file) !== 'anonymous') return false;
    return file.id === 0 || this.#signalDescriptors.has(file.id);
  }
}

const queueKey = ({ file }: CallRecord): string | undefined =>
  file && `message queue ${file.device}:${file.inode}`;

function semaphoreExchange(call: CallRecord, key: string): Exchange {
  // What is not known may be either.
  if (!call.data) return { gives: key, gets: key };
  const steps = semaphoreSteps(call);
  return {
    gives: steps.some((step) => step > 0) ? key : undefined,
    gets: steps.some((step) => step <= 0) ? key : undefined,
  };
}
