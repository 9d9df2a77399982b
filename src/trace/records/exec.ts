/** A task began to run another program. Arguments are joined by NUL: `'cc\0-c\0a.c'`. */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

/** In bytes; recorders cut off the rest. */
export const LONGEST_COMMAND_LINE = 4096;

export interface ExecRecord {
  readonly kind: 'exec';
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  readonly path: string;
  readonly commandLine: string;
}

export const exec: RecordKind<ExecRecord> = {
  name: 'exec',
  code: 2,
  width: 5,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.text(record.path);
    to.text(record.commandLine);
  },
  decode(from) {
    return {
      kind: 'exec',
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      path: from.text(),
      commandLine: from.text(),
    };
  },
};
