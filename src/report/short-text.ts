/**
 * The report for whoever has ten seconds: a heading and a picture for each race. What there is to say beyond that
 * is in text.ts, which is for --verbose.
 *
 *   R1 [harmful] cc1 looks up version.h while sh creates it
 *       load-store race on /tmp/app/version.h, seen 2 times
 *
 *       what happened                   │ what fails
 *       ────────────────────────────────┼────────────────────────────────
 *       A sh (pid 4)                    │ B cc1 (pid 9)
 *         openat("version.h", O_CREAT)  │   openat("version.h", O_RDONLY)
 *       B cc1 (pid 9)                   │ A sh (pid 4)
 *         openat("version.h", O_RDONLY) │   openat("version.h", O_CREAT)
 *       ✔ exit status 0                 │ ✖ exit status 2 instead of 0
 *
 *       Hint: …
 *       Replay: deadheat replay procs-1 R1
 */
import { createColors } from 'picocolors';
import { printable } from '../base/printable.ts';
import { bothOrders, type Side, sidesOf } from './both-orders.ts';
import { type Column, sideBySide } from './columns.ts';
import { isFinding } from './findings.ts';
import { framesOf, sourcePosition } from './frames.ts';
import type { Race, Report, Site } from './model.ts';
import { closing, labelled, type TextOptions, verdictColor } from './text.ts';
import { accessorName, exitWords, processName, raceName, verdictWords } from './wording.ts';

const INDENT = '    ';
/** Of an error message, and of a stack: more is in the whole report. */
const MOST_LINES = 4;

export function formatShortText(report: Report, width: number, options: TextOptions = {}): string {
  const colors = createColors(options.color ?? false);
  const shown = options.all ? report.races : report.races.filter(isFinding);
  const races = shown.flatMap((race) => {
    const paint = verdictColor(race.verdict, colors);
    const room = width - INDENT.length;
    const verdict = colors.bold(paint(`[${verdictWords(race)}]`));
    const also = race.occurrences === 1 ? '' : `, seen ${race.occurrences} times`;
    return [
      `${colors.bold(printable(race.id))} ${verdict} ${printable(race.title)}`,
      `${INDENT}${raceName(race.kind)} on ${printable(race.object.name)}${also}`,
      '',
      ...picture(report, race, room).map((line) => `${INDENT}${line}`.trimEnd()),
      ...remarks(race).map((line) => `  ${line}`.trimEnd()),
      '',
    ];
  });
  const more =
    shown.length === 0
      ? []
      : [`deadheat: --verbose tells all about ${shown.length === 1 ? 'it' : 'them'}`];
  return `${[...races, ...closing(report, shown.length, colors, more)].join('\n')}\n`;
}

function remarks({ hint, benign, also, replay }: Race): string[] {
  const lines = [
    ...(hint === undefined ? [] : labelled('Hint', hint)),
    ...(benign === undefined ? [] : labelled('May be harmless', benign)),
    ...(also === undefined ? [] : labelled('Ends in the same way', also.join('\n'))),
    ...(replay === undefined ? [] : labelled('Replay', replay)),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function picture(report: Report, race: Race, width: number): string[] {
  if (report.engine !== 'procs') return bothSides(race, width);
  const { recorded, other } = bothOrders(race);
  const [left, right] = [recorded, other].map((sides) => sides.flatMap(callLines));
  const title = race.verdict === 'harmful' ? 'what fails' : 'the other way round';
  return sideBySide(
    { title: 'what happened', lines: [...left!, ...endLines(report)] },
    { title, lines: [...right!, ...outcome(race)] },
    width,
  );
}

const callLines = ({ letter, access }: Side): string[] => [
  `${letter} ${processName(access)}`,
  `  ${printable(access.what)}`,
];

function endLines({ exit }: Report): string[] {
  if (exit === undefined) return [];
  return [`${exit.code === 0 ? '✔' : '✖'} ${exitWords(exit)}`];
}

function outcome({ verdict, evidence }: Race): string[] {
  switch (verdict) {
    case 'harmful':
      return evidenceLines('✖', evidence ?? 'it did harm');
    case 'benign':
      return ['✔ it ended no worse'];
    case 'diverged':
      return evidenceLines('?', evidence ?? 'it could not be run in this order');
    default:
      return ['? nobody has tried yet'];
  }
}

function evidenceLines(mark: string, evidence: string): string[] {
  const [first = '', ...rest] = evidence.split('\n').map(printable);
  return [`${mark} ${first}`, ...rest.slice(0, MOST_LINES).map((line) => `  ${line.trim()}`)];
}

/** Of threads: who stood where. */
function bothSides(race: Race, width: number): string[] {
  const [left, right] = sidesOf(race).map((side): Column => {
    const { access } = side;
    const frames = framesOf(access).slice(0, MOST_LINES).map(frame);
    return {
      title: `${side.letter} ${accessorName(race, access)}`,
      lines: [printable(`${access.op} of ${access.what}`), ...frames.map((line) => `  ${line}`)],
    };
  });
  const [first = ''] = (race.evidence ?? '').split('\n');
  const evidence = first === '' ? [] : ['', `→ ${printable(first)}`];
  return [...sideBySide(left!, right!, width), ...evidence];
}

/** Folders of sources are long, and the same for all. */
function frame({ function: name, file, line, module, address }: Site): string {
  const base = file?.slice(file.lastIndexOf('/') + 1);
  const place =
    base === undefined
      ? [module?.slice(module.lastIndexOf('/') + 1), address].filter(Boolean).join('+')
      : sourcePosition(base, line);
  return printable([name ?? '??', place].filter(Boolean).join(' '));
}
