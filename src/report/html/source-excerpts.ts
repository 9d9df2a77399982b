/**
 * The lines of source around every place that a report mentions, as they are now:
 *
 *   { '/home/me/pool/queue.c': { from: [8, 30], lines: [['…', …], ['…', …]] } }
 *
 * `read` gives a file's text, or undefined if it cannot be read; then there is no excerpt, and the page shows
 * the place alone.
 */
import type { Report, Site } from '../model.ts';

/** Pieces of one file, from top to bottom. */
export interface Excerpt {
  readonly pieces: readonly { readonly from: number; readonly lines: readonly string[] }[];
  /** It was changed after the program ran: lines may have moved. */
  readonly isNewer?: boolean | undefined;
}

export type Excerpts = Readonly<Record<string, Excerpt>>;

export interface SourceFile {
  readonly text: string;
  readonly isNewer: boolean;
}

const AROUND = 6;
/** A line may be a whole program, if it was generated. */
const LONGEST_LINE = 400;
const MOST_FILES = 400;

export function sourceExcerpts(
  report: Report,
  read: (path: string) => SourceFile | undefined,
): Excerpts {
  const wanted = new Map<string, Set<number>>();
  for (const { file, line } of mentionedSites(report)) {
    if (file === undefined || line === undefined) continue;
    if (!wanted.has(file) && wanted.size >= MOST_FILES) continue;
    wanted.set(file, (wanted.get(file) ?? new Set()).add(line));
  }
  const excerpts: Record<string, Excerpt> = Object.create(null);
  for (const [file, lines] of wanted) {
    const source = read(file);
    if (source === undefined) continue;
    const pieces = piecesOf(source.text.split('\n'), [...lines]);
    if (pieces.length > 0) excerpts[file] = { pieces, ...(source.isNewer && { isNewer: true }) };
  }
  return excerpts;
}

function mentionedSites({ races, tasks = [] }: Report): Site[] {
  return [
    ...races.flatMap(({ accesses, steps = [] }) => [
      ...accesses.flatMap(({ site, stack }) => [site, ...stack]),
      ...steps.flatMap(({ site }) => site ?? []),
    ]),
    ...tasks.flatMap(({ createdBy }) => createdBy?.site ?? []),
  ];
}

function piecesOf(all: readonly string[], wanted: number[]): { from: number; lines: string[] }[] {
  const pieces: { from: number; lines: string[] }[] = [];
  for (const line of wanted.sort((a, b) => a - b)) {
    if (line > all.length) continue;
    const last = pieces.at(-1);
    const end = last ? last.from + last.lines.length : 0;
    const from = Math.max(1, line - AROUND, end);
    const lines = all.slice(from - 1, line + AROUND).map((text) => text.slice(0, LONGEST_LINE));
    if (last && from === end) last.lines.push(...lines);
    else pieces.push({ from, lines });
  }
  return pieces;
}
