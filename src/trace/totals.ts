/**
 * What a recording's end chunk says about the whole: its presence means that nothing is missing.
 * Checked by hand: the recording thread reads this file too, and should not have to load a schema
 * library for three fields.
 */
import { intact } from './damage.ts';

export interface TraceTotals {
  readonly records: number;
  /** Events that the recorder saw but could not keep up with; not 0 means: do not analyse. */
  readonly droppedEvents: number;
  /** Why recording ended before the program did. */
  readonly interrupted?: string;
}

export function encodeTotals(totals: TraceTotals): Buffer {
  return Buffer.from(JSON.stringify(totals));
}

export function decodeTotals(contents: Buffer): TraceTotals {
  const totals = parse(contents.toString());
  intact(isTotals(totals), 'its totals make no sense');
  return totals;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTotals(value: unknown): value is TraceTotals {
  if (typeof value !== 'object' || value === null) return false;
  const { records, droppedEvents, interrupted, ...rest } = value as Record<string, unknown>;
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && Number(count) >= 0;
  return (
    isCount(records) &&
    isCount(droppedEvents) &&
    (interrupted === undefined || typeof interrupted === 'string') &&
    Object.keys(rest).length === 0
  );
}
