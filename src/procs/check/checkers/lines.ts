/** The lines of a file that may be long, without holding more than one of them. */
import { decodeBytes } from '../../../base/bytes.ts';
import type { FileContent } from '../file-state.ts';

/** Nobody writes longer ones for people; what is beyond is left out. */
const LONGEST = 4096;
const NEWLINE = 0x0a;

export function* linesOf(content: FileContent): Generator<string> {
  let begun = Buffer.alloc(0);
  for (const chunk of content.chunks()) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield text(Buffer.concat([begun, chunk.subarray(from, end)]));
      begun = Buffer.alloc(0);
      from = end + 1;
    }
    begun = Buffer.concat([begun, chunk.subarray(from)]).subarray(0, LONGEST);
  }
  if (begun.length > 0) yield text(begun);
}

const text = (line: Buffer): string => decodeBytes(line.subarray(0, LONGEST));

/** Each line, and how often it is there. */
export function multisetOfLines(content: FileContent): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of linesOf(content)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

export const sameMultiset = (
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
): boolean =>
  one.size === other.size && [...one].every(([line, count]) => other.get(line) === count);
