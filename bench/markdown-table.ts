/** A table as Markdown has it, in columns for whoever reads it as it is. */

/** By column; all rows have the same ones. */
export type TableRow = Readonly<Record<string, string | number>>;

/** Figures to the right. */
export function markdownTable(rows: readonly TableRow[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => `${row[column]}`.length)),
  );
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? `${cell}`.padEnd(widths[0]!) : `${cell}`.padStart(widths[at]!))).join(' | ')} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [
    line(columns),
    line(rule),
    ...rows.map((row) => line(columns.map((one) => row[one]!))),
  ].join('\n');
}
