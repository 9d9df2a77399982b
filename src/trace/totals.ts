/** What a recording's end chunk says about the whole: its presence means that nothing is missing. */
import { z } from 'zod';
import { Damage } from './damage.ts';

const schema = z.strictObject({
  records: z.int().nonnegative(),
  /** Events that the recorder saw but could not keep up with; not 0 means: do not analyse. */
  droppedEvents: z.int().nonnegative(),
  /** Why recording ended before the program did. */
  interrupted: z.string().optional(),
});

export type TraceTotals = Readonly<z.infer<typeof schema>>;

export function encodeTotals(totals: TraceTotals): Buffer {
  return Buffer.from(JSON.stringify(totals));
}

export function decodeTotals(contents: Buffer): TraceTotals {
  try {
    return schema.parse(JSON.parse(contents.toString()));
  } catch {
    throw new Damage('its totals make no sense');
  }
}
