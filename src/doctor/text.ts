/**
 * The findings for people:
 *
 *   ✔ ok       ptrace      found    traced a program from exec to exit, …
 *                          needed   tracing programs that …; used by every engine
 *   ! limited  perf clock  found    …
 *                          needed   samples of …; used by sample, watch
 *                          remedy   `sudo sysctl kernel.perf_event_paranoid=2`
 *
 * The word says what the symbol and the colour say, so that both may be lost.
 */
import { printable } from '../base/bytes.ts';
import type { Examined } from './doctor.ts';
import type { Status } from './probe.ts';

/** What is used of picocolors' `createColors()`. */
export interface Colors {
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

const SYMBOLS: Record<Status, string> = { ok: '✔', limited: '!', missing: '✘' };
const COLOR_OF: Record<Status, 'green' | 'yellow' | 'red'> = {
  ok: 'green',
  limited: 'yellow',
  missing: 'red',
};
const STATUS_WIDTH = 'missing'.length;
const LABEL_WIDTH = 'needed'.length;
const GAP = '  ';
/** Narrower than this, wrapped text is harder to read than lines that run over. */
const NARROWEST = 30;

export function toText(examined: readonly Examined[], colors: Colors, width = 100): string {
  const nameWidth = Math.max(...examined.map(({ probe }) => probe.name.length));
  const textAt = 2 + STATUS_WIDTH + GAP.length + nameWidth + GAP.length + LABEL_WIDTH + GAP.length;
  const room = Math.max(width - textAt, NARROWEST);
  const entries = examined.map((one) => entry(one, nameWidth, room, colors));
  return `${[...entries, summary(examined, colors)].join('\n')}\n`;
}

function entry(
  { probe, finding }: Examined,
  nameWidth: number,
  room: number,
  colors: Colors,
): string {
  const { status } = finding;
  const mark = `${SYMBOLS[status]} ${status.padEnd(STATUS_WIDTH)}`;
  const head = `${colors[COLOR_OF[status]](mark)}${GAP}${colors.bold(probe.name.padEnd(nameWidth))}`;
  const blank = ' '.repeat(mark.length + GAP.length + nameWidth);
  const lines = [
    ...labelled('found', finding.found, room, colors),
    ...labelled('needed', `${probe.needed}; used by ${probe.usedBy}`, room, colors),
    ...(finding.status === 'ok' ? [] : labelled('remedy', finding.remedy, room, colors)),
  ];
  return lines.map((line, index) => `${index === 0 ? head : blank}${GAP}${line}`).join('\n');
}

function labelled(label: string, text: string, room: number, colors: Colors): string[] {
  return wrap(text, room).map((line, index) => {
    const start = (index === 0 ? label : '').padEnd(LABEL_WIDTH);
    return `${colors.dim(start)}${GAP}${line}`;
  });
}

/** Breaks at spaces, but not inside `commands`, which must survive being copied. */
export function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of (text.match(/(?:`[^`]*`|\S)+/g) ?? []).map(printable)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function summary(examined: readonly Examined[], colors: Colors): string {
  const count = (status: Status) =>
    examined.filter(({ finding }) => finding.status === status).length;
  const essential = examined.filter(
    ({ probe, finding }) => probe.essential && finding.status === 'missing',
  );
  const counts = `${count('ok')} ok, ${count('limited')} limited, ${count('missing')} missing`;
  if (essential.length === 0) return `\n${counts}`;
  const names = essential.map(({ probe }) => probe.name).join(', ');
  return `\n${counts}; ${colors.red(`deadheat cannot work without: ${names}`)}`;
}
