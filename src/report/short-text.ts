/**
 * The report for whoever has ten seconds: a heading and a picture for each race; then, of many, a line for each; at
 * the end how many there are. What there is to say beyond that is in text.ts, which is for --verbose.
 *
 *   R1 [harmful] cc1 looks up version.h while sh creates it
 *       load-store race on /tmp/app/version.h, seen 2 times
 *
 *       what happened                   │ what fails
 *       ────────────────────────────────┼────────────────────────────────
 *       A sh (pid 4)                    │ B cc1 (pid 9)
 *       …
 *
 *       Hint: …
 *       Replay: deadheat replay procs-1 R1
 *
 *   deadheat: reported 1 race
 */
import { createColors } from 'picocolors';
import { padded, wrapped } from '../base/display-width.ts';
import { printable } from '../base/printable.ts';
import { isFinding } from './findings.ts';
import { listTitles } from './list-titles.ts';
import type { Race, Report } from './model.ts';
import { type Colors, closing, labelled, type TextOptions, verdictColor } from './text.ts';
import { racePicture } from './text-pictures/race-picture.ts';
import { raceName, verdictWords } from './wording.ts';

const INDENT = '    ';
/** As many are seen at a glance, with their pictures. */
const FEW = 3;
/** A line each: more do not fit on a screen. */
const MOST_LISTED = 20;

export function formatShortText(report: Report, width: number, options: TextOptions = {}): string {
  const colors = createColors(options.color ?? false);
  const shown = options.all ? report.races : report.races.filter(isFinding);
  const races = shown.flatMap((race) => [
    ...heading(report, race, width, colors),
    '',
    ...racePicture(report, race, width - INDENT.length).map((line) => `${INDENT}${line}`.trimEnd()),
    ...remarks(race, width),
    '',
  ]);
  const more =
    shown.length === 0
      ? []
      : [`deadheat: --verbose tells all about ${shown.length === 1 ? 'it' : 'them'}`];
  const list = shown.length > FEW ? [...listed(report, shown, width, colors), ''] : [];
  return `${[...races, ...list, ...closing(report, shown, colors, more)].join('\n')}\n`;
}

function heading(report: Report, race: Race, width: number, colors: Colors): string[] {
  const paint = verdictColor(race.verdict, colors);
  const id = printable(race.id);
  const verdict = `[${verdictWords(race.verdict, report.engine)}]`;
  const also = race.occurrences === 1 ? '' : `, seen ${race.occurrences} times`;
  const what = `${raceName(race.kind)} on ${printable(race.object.name)}${also}`;
  const [first = '', ...rest] = wrapped(`${id} ${verdict} ${printable(race.title)}`, width, INDENT);
  const plain = `${id} ${verdict}`;
  // On a very narrow terminal it may not be in one line.
  const painted = first.startsWith(plain)
    ? `${colors.bold(id)} ${colors.bold(paint(verdict))}${first.slice(plain.length)}`
    : first;
  return [painted, ...rest, ...wrapped(`${INDENT}${what}`, width, INDENT)];
}

function remarks({ hint, benign, also, replay }: Race, width: number): string[] {
  const lines = [
    ...(hint === undefined ? [] : labelled('Hint', hint)),
    ...(benign === undefined ? [] : labelled('May be harmless', benign)),
    ...(also === undefined ? [] : labelled('Ends in the same way', also.join('\n'))),
    ...(replay === undefined ? [] : labelled('Replay', replay)),
  ];
  const shown = lines.flatMap((line) => wrapped(`  ${line}`.trimEnd(), width, `${INDENT}  `));
  return lines.length === 0 ? [] : ['', ...shown];
}

/** `R1  harmful    sh looks up obj while mkdir creates it`. */
function listed(
  { engine }: Report,
  races: readonly Race[],
  width: number,
  colors: Colors,
): string[] {
  const rows = races.slice(0, MOST_LISTED).map((race) => ({
    race,
    id: printable(race.id),
    verdict: verdictWords(race.verdict, engine),
  }));
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => text.length));
  const ids = widest(rows.map(({ id }) => id));
  const verdicts = widest(rows.map(({ verdict }) => verdict));
  const left = races.length - rows.length;
  const room = Math.max(1, width - ids - verdicts - 4);
  const titles = listTitles(
    rows.map(({ race }) => printable(race.title)),
    room,
  );
  return [
    ...rows.map(({ race, id, verdict }, at) => {
      const paint = verdictColor(race.verdict, colors);
      return `${padded(id, ids)}  ${paint(padded(verdict, verdicts))}  ${titles[at]}`;
    }),
    ...(left === 0 ? [] : [`… and ${left} more`]),
  ];
}
