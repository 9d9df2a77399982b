/**
 * Two texts side by side, as wide as there is room for; what is too long ends in an ellipsis:
 *
 *   what happened              │ what fails
 *   ───────────────────────────┼───────────────────────────
 *   A sh (pid 4)               │ B cc1 (pid 9)
 */

/** Below this, one stands under the other. */
const NARROWEST = 60;

export interface Column {
  readonly title: string;
  readonly lines: readonly string[];
}

export function sideBySide(left: Column, right: Column, width: number): string[] {
  if (width < NARROWEST) {
    return [left, right].flatMap(({ title, lines }) => [
      cut(title, width),
      ...lines.map((line) => cut(`  ${line}`, width)),
    ]);
  }
  const room = Math.floor((width - 3) / 2);
  const widest = Math.max(...[left.title, ...left.lines].map((line) => [...line].length));
  // What the left one does not need, the right one has.
  const first = Math.min(Math.max(widest, NARROWEST / 3), room);
  const second = width - 3 - first;
  const row = (one: string, two: string): string =>
    `${padded(cut(one, first), first)} │ ${cut(two, second)}`.trimEnd();
  const count = Math.max(left.lines.length, right.lines.length);
  return [
    row(left.title, right.title),
    `${'─'.repeat(first)}─┼─${'─'.repeat(Math.min(second, first))}`,
    ...Array.from({ length: count }, (_, at) => row(left.lines[at] ?? '', right.lines[at] ?? '')),
  ];
}

export function cut(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - [...text].length));
