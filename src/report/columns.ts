/**
 * Two texts side by side, as wide as there is room for; a line that is too long goes on below, a little further in:
 *
 *   what happened              │ what fails
 *   ───────────────────────────┼───────────────────────────
 *   A sh (pid 4)               │ B cc1 (pid 9)
 */
import { cut, displayWidth, padded, wrapped } from '../base/display-width.ts';

/** Below this, one stands under the other. */
const NARROWEST = 60;
/** Of one text: a path may be very long, and the picture is to stay one. */
const MOST_LINES = 3;
const BETWEEN = ' │ ';

export interface Column {
  readonly title: string;
  /** Lines that stand beside each other in both columns begin together. */
  readonly lines: readonly string[];
}

export function sideBySide(left: Column, right: Column, width: number): string[] {
  if (width < NARROWEST) return [left, right].flatMap((column) => oneColumn(column, width));
  const room = width - BETWEEN.length;
  const widest = Math.max(...[left.title, ...left.lines].map(displayWidth));
  // What the left one does not need, the right one has.
  const first = Math.min(Math.max(widest, NARROWEST / 3), Math.floor(room / 2));
  const second = room - first;
  const row = (one: string, two: string): string[] => {
    const [lefts, rights] = [broken(one, first), broken(two, second)];
    return Array.from({ length: Math.max(lefts.length, rights.length) }, (_, at) =>
      `${padded(lefts[at] ?? '', first)}${BETWEEN}${rights[at] ?? ''}`.trimEnd(),
    );
  };
  const count = Math.max(left.lines.length, right.lines.length);
  return [
    ...row(left.title, right.title),
    `${'─'.repeat(first)}─┼─${'─'.repeat(Math.min(second, first))}`,
    ...Array.from({ length: count }, (_, at) =>
      row(left.lines[at] ?? '', right.lines[at] ?? ''),
    ).flat(),
  ];
}

const oneColumn = ({ title, lines }: Column, width: number): string[] => [
  ...broken(title, width),
  ...lines.flatMap((line) => broken(`  ${line}`, width)),
];

/** What follows stands two further in than the line itself. */
function broken(text: string, width: number): string[] {
  const further = `${/^ */.exec(text)![0]}  `;
  const lines = wrapped(text, width, further);
  if (lines.length <= MOST_LINES) return lines;
  const [last = '', ...rest] = lines.slice(MOST_LINES - 1);
  return [...lines.slice(0, MOST_LINES - 1), cut(`${last} ${rest.join('')}`, width)];
}
