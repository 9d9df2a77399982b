/**
 * How a file can turn out to be damaged, in two layers. Code that decodes a piece of a file knows
 * what is wrong but not where the piece came from: it calls `intact`. The reader knows where, and
 * tells the user:
 *
 *   intact(end <= bytes.length, 'string 3 goes beyond its chunk')
 *   → deadheat: procs-3/trace.bin: chunk 7 at byte 81234: string 3 goes beyond its chunk;
 *     record again, or use --salvage to go on with the 52000 records before it
 */
import { UserError } from '../base/user-error.ts';

/** What is wrong with a piece of a file. Never reaches the user as such. */
export class Damage extends Error {
  override name = 'Damage';
}

export function intact(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Damage(what);
}

/** What could not be read: all from `offset` on. */
export interface Loss {
  /** Chunks are counted from 1; 0 is the file's header. */
  readonly chunk: number;
  readonly offset: number;
  readonly reason: string;
  /** Records that were read before it. */
  readonly recordsBefore: number;
  readonly bytesLost: number;
}

export class DamagedTraceError extends UserError {
  override name = 'DamagedTraceError';
  readonly loss: Loss;

  constructor(path: string, loss: Loss) {
    const where = loss.chunk === 0 ? 'header' : `chunk ${loss.chunk} at byte ${loss.offset}`;
    super(
      `${path}: ${where}: ${loss.reason}`,
      `record again, or use --salvage to go on with the ${loss.recordsBefore} records before it`,
    );
    this.loss = loss;
  }
}
