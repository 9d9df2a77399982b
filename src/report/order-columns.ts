/**
 * Both orders of a race between processes as text, side by side, with what each led to:
 *
 *   What happened                    What can happen
 *   A mkdir (pid 8): mkdir("obj")    B sh (pid 5): openat("obj/a.txt", O_CREAT)
 *   B sh (pid 5): openat("obj/       A mkdir (pid 8): mkdir("obj")
 *     a.txt", O_CREAT)
 *   → exit status 0                  → exit status 2 instead of 0
 *
 * Where there is no room for two columns, the second order stands below the first.
 */
import { printable } from '../base/printable.ts';
import { bothOrders, type Side } from './both-orders.ts';
import type { Race, Report } from './model.ts';
import { exitWords, processName } from './wording.ts';

const GAP = 3;
/** Narrower columns would be all continuation lines. */
const NARROWEST = 34;

export function orderColumns(race: Race, exit: Report['exit'], width: number): string[] {
  const { recorded, other } = bothOrders(race);
  const isHarmful = race.verdict === 'harmful';
  const left = [
    'What happened',
    ...stepsOf(recorded),
    `→ ${exit ? exitWords(exit) : 'still running'}`,
  ];
  const heading = isHarmful ? 'What can happen' : 'The other way round';
  const right = [heading, ...stepsOf(other), `→ ${outcomeOf(race)}`];
  const column = Math.floor((width - GAP) / 2);
  if (column < NARROWEST) return [...left, '', ...right].flatMap((line) => wrapped(line, width));
  const fits = Math.min(column, Math.max(...left.map((line) => line.length)));
  return left.flatMap((line, row) => {
    const [one, two] = [wrapped(line, fits), wrapped(right[row]!, width - GAP - fits)];
    return Array.from({ length: Math.max(one.length, two.length) }, (_, i) =>
      `${(one[i] ?? '').padEnd(fits + GAP)}${two[i] ?? ''}`.trimEnd(),
    );
  });
}

const stepsOf = (sides: readonly Side[]): string[] =>
  sides.map(({ letter, access }) => printable(`${letter} ${processName(access)}: ${access.what}`));

/** In a line; the evidence has the rest. */
function outcomeOf({ verdict, evidence = '' }: Race): string {
  switch (verdict) {
    case 'harmful':
      return printable(evidence.split('\n')[0]!.replace(/:$/, '')) || 'it did harm';
    case 'benign':
      return 'no worse';
    case 'diverged':
      return 'it could not be run in this order';
    case 'detected':
    case 'predicted':
    case 'confirmed':
    case 'tolerated':
      return 'not tried yet';
  }
}

const INDENT = '  ';
/** Pieces end behind one of these if they are not much shorter for that. */
const BREAKS = /^.*[ ,|/]/;
const MOST_LOST = 16;

/** Pieces of at most `width` characters, all but the first of them indented. */
function wrapped(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const most = line.slice(0, width);
  const [nicer = ''] = BREAKS.exec(most) ?? [];
  const piece = nicer.length > Math.max(INDENT.length, width - MOST_LOST) ? nicer : most;
  const rest = `${INDENT}${line.slice(piece.length).trimStart()}`;
  return [piece.trimEnd(), ...wrapped(rest, width)];
}
