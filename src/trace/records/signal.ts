/**
 * A signal was sent, or reached its task, either between two calls or in one that it broke off. `from` is 0 when
 * the kernel itself sent it.
 *
 *   read() = 17 ·· SIGCHLD ·· read() = 0                 delivered
 *   read() = 17    read() ·· SIGCHLD ·· read() = 0       interrupting: the second had begun, and is made again
 */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

const phases = ['sent', 'delivered', 'interrupting'] as const;

export interface SignalRecord {
  readonly kind: 'signal';
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly from: Tid;
  readonly to: Tid;
  readonly signal: number;
  readonly phase: (typeof phases)[number];
}

export const signal: RecordKind<SignalRecord> = {
  name: 'signal',
  code: 5,
  width: 6,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.from);
    to.u32(record.to);
    to.u32(record.signal);
    to.choice(record.phase, phases);
  },
  decode(from) {
    return {
      kind: 'signal',
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      from: tid(from.u32()),
      to: tid(from.u32()),
      signal: from.u32(),
      phase: from.choice(phases),
    };
  },
};
