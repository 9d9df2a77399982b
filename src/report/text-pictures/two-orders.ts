/**
 * Both orders of a race between processes, and what each led to:
 *
 *   what happened                   │ what fails
 *   ────────────────────────────────┼────────────────────────────────
 *   A sh (pid 4)                    │ B cc1 (pid 9)
 *     openat("version.h", O_CREAT)  │   openat("version.h", O_RDONLY)
 *   B cc1 (pid 9)                   │ A sh (pid 4)
 *     openat("version.h", O_RDONLY) │   openat("version.h", O_CREAT)
 *   ✔ exit status 0                 │ ✖ exit status 2 instead of 0
 */
import { printable } from '../../base/printable.ts';
import { bothOrders, type Side } from '../both-orders.ts';
import { sideBySide } from '../columns.ts';
import type { Race, Report } from '../model.ts';
import { exitWords, processName } from '../wording.ts';

/** Of an error message: more is in the whole report. */
const MOST_LINES = 4;

export function twoOrders(report: Report, race: Race, width: number): string[] {
  const { recorded, other } = bothOrders(race);
  const title = race.verdict === 'harmful' ? 'what fails' : 'the other way round';
  return sideBySide(
    { title: 'what happened', lines: [...recorded.flatMap(callLines), ...endLines(report)] },
    { title, lines: [...other.flatMap(callLines), ...outcome(race)] },
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
