/**
 * The file of a thread trace: the chunks of src/trace/chunk.ts, with the strings and the end that all
 * families have, and these:
 *
 *   STRINGS  …            texts; each is there before the first row that has it
 *   16 to 22 …            rows of a table (tables.ts, in the order of `all`), see row-chunk.ts
 *   RECORDS  …            events, see event-chunk.ts; all that they point to is there before them
 *   …
 *   END      …            totals
 *
 * So a file that ends too early still explains all of its events. Format 1 is the first. To change what
 * is in a chunk, give it another type, keep reading the old one, and raise the format.
 */
import type { TraceFamily } from '../../trace/family.ts';

export const threadFamily: TraceFamily = { code: 1, name: 'threads', formatVersion: 1 };

/** The chunk type of the first table. */
export const firstTableType = 16;
