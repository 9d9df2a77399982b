/**
 * What one kind of record has to say about itself. Each file beside this one holds one kind: its
 * interface, and an object like
 *
 *   export const exit: RecordKind<ExitRecord> = {
 *     name: 'exit', code: 4, width: 4,
 *     encode(record, to) { to.sequence(record.sequence); to.time(record.time); … },
 *     decode(from) { return { kind: 'exit', sequence: from.sequence(), time: … }; },
 *   };
 *
 * `encode` and `decode` name the same fields in the same order; nothing else ties them together,
 * so the round-trip test over all kinds is what keeps them honest. `width` is asserted for every
 * record written. How a field is laid out is told in fields.ts.
 */
import type { FieldReader, FieldWriter } from './fields.ts';

export interface RecordKind<R extends { readonly kind: string }> {
  readonly name: R['kind'];
  /** What stands for this kind on disk: 1 to 255, never given out again. */
  readonly code: number;
  /** Numbers that each record of this kind takes, which is columns of its table. */
  readonly width: number;
  encode(record: R, to: FieldWriter): void;
  decode(from: FieldReader): R;
}
