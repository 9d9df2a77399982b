/**
 * All that there is to say of each race (--verbose), with ThreadSanitizer's skeleton, which people and their scripts know:
 *
 *   ==================
 *   WARNING: deadheat: load-store race (pid=14) [harmful]
 *     R1: sh creates obj/ while cc1 writes obj/a.o
 *     Load of /home/me/project/obj by process cc1 (pid 14): openat("obj/a.o", O_CREAT)
 *       #0 __open64 (libc.so.6+0xf8a2d)
 *     Previous store of /home/me/project/obj by process sh (pid 13): mkdir("obj", 0777)
 *     …
 *   SUMMARY: deadheat: load-store race on /home/me/project/obj in cc1 and sh
 *   ==================
 *   deadheat: reported 1 race
 *
 * Lines are as long as their contents; nothing depends on colour or on the width of a terminal.
 */
import { createColors } from 'picocolors';
import { unreachable } from '../base/assert.ts';
import { printable } from '../base/bytes.ts';
import { byVerdict, isFinding } from './findings.ts';
import { frameLines } from './frames.ts';
import type { Access, Race, Report, Resolution, Task, Verdict } from './model.ts';
import { orderLines } from './order-graph.ts';
import { describeOrigins } from './origins.ts';
import { provingCommand } from './proving-command.ts';
import { findTask, type TaskTable, taskTable } from './tasks.ts';
import { howPredicted, witnessLines } from './witness.ts';
import {
  accessorName,
  capitalize,
  isWithinOneProcess,
  plural,
  raceName,
  raceSummary,
  spacedHex,
  verdictWords,
} from './wording.ts';

export interface TextOptions {
  readonly color?: boolean;
  /** Also races that were tried and came to nothing. */
  readonly all?: boolean;
}

export type Colors = ReturnType<typeof createColors>;

export function formatText(report: Report, options: TextOptions = {}): string {
  const colors = createColors(options.color ?? false);
  const table = taskTable(report);
  const rule = '='.repeat(18);
  const shown = options.all ? report.races : report.races.filter(isFinding);
  const races = shown.flatMap((race) => [rule, ...describeRace(report, race, table, colors), rule]);
  return `${[...races, ...closing(report, shown, colors)].join('\n')}\n`;
}

function describeRace({ engine }: Report, race: Race, table: TaskTable, colors: Colors): string[] {
  const paint = verdictColor(race.verdict, colors);
  const pid = race.accesses[0]?.pid ?? 0;
  const where = pid === 0 ? '' : ` (pid=${pid})`;
  const heading = `WARNING: deadheat: ${raceName(race.kind)}${where}`;
  const seen = new Set<Task>();
  return [
    `${colors.bold(paint(`${heading} [${verdictWords(race.verdict, engine)}]`))}`,
    `  ${printable(race.id)}: ${printable(race.title)}`,
    ...race.accesses.flatMap((access, index) => describeAccess(race, access, index, colors)),
    '',
    `  ${colors.green(`Location is ${printable(`${race.object.type} ${race.object.name}`)}`)}`,
    ...race.accesses.flatMap((access) => describeOrigins(access, table, seen)),
    ...describeOrder(race),
    ...(race.rung === undefined ? describeSteps(race, table) : witnessLines(race)),
    ...describeOutcome(race),
    '',
    `SUMMARY: deadheat: ${raceSummary(race)}`,
  ];
}

function describeAccess(race: Race, access: Access, index: number, colors: Colors): string[] {
  // Samples have no order.
  const other = race.confidence === undefined ? 'Previous' : 'Other';
  const op = index === 0 ? capitalize(access.op) : `${other} ${access.op}`;
  const what = `${op} of ${race.object.name} by ${accessorName(race, access)}: ${access.what}`;
  return ['', `  ${colors.cyan(printable(what))}`, ...frameLines(access), ...stateLines(access)];
}

const REGISTERS_PER_LINE = 4;

/** What was there, and the registers, of an access that somebody has looked at. */
function stateLines({ value, registers }: Access): string[] {
  const shown = Object.entries(registers ?? {}).map(([name, word]) => `${name} ${word}`);
  const lines = Array.from({ length: Math.ceil(shown.length / REGISTERS_PER_LINE) }, (_, i) =>
    shown.slice(i * REGISTERS_PER_LINE, (i + 1) * REGISTERS_PER_LINE).join('  '),
  );
  return [
    ...(value === undefined ? [] : [`    bytes before: ${spacedHex(value)}`]),
    ...lines.map((line, i) => `    ${i === 0 ? 'registers: ' : '           '}${printable(line)}`),
  ];
}

function describeOrder({ order }: Race): string[] {
  if (order === undefined || order.length === 0) return [];
  const lines = orderLines(order).map((line) => `    ${line}`);
  return ['', '  What happened before what (‖ marks what nothing orders):', ...lines];
}

function describeSteps(race: Race, table: TaskTable): string[] {
  if (race.steps === undefined || race.steps.length === 0) return [];
  const lines = race.steps.map((step, index) => {
    const process = findTask(table, step)?.process ?? accessorOf(race, step.pid) ?? '??';
    const thread = isWithinOneProcess(race) ? `, thread ${step.thread}` : '';
    const who = `${printable(process)} (pid ${step.pid}${thread})`;
    return `    ${index + 1}. ${who}: ${printable(step.what)}`;
  });
  return ['', '  Interleaving that shows it:', ...lines];
}

function describeOutcome(race: Race): string[] {
  const lines = [
    ...(race.rung === undefined ? [] : labelled('Predicted', howPredicted(race))),
    ...(race.resolution === undefined ? [] : labelled('Values', valuesOf(race.resolution))),
    ...(race.evidence === undefined ? [] : labelled('Evidence', race.evidence)),
    ...(race.hint === undefined ? [] : labelled('Hint', race.hint)),
    ...(race.benign === undefined ? [] : labelled('May be harmless', race.benign)),
    ...(race.occurrences === 1 ? [] : [`  Seen ${race.occurrences} times`]),
    ...(race.also === undefined ? [] : labelled('Ends in the same way', race.also.join('\n'))),
    ...(race.replay === undefined ? [] : labelled('Replay', race.replay)),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function valuesOf(how: Resolution): string {
  const under = how.lock === undefined ? '' : ` under ${how.lock}`;
  return (
    `the section found ${how.found} and made it ${how.section}${under}\n` +
    `others made it ${how.others} without it; memory has ${how[how.kept]} (class ${how.class})`
  );
}

/** `more`: to be said before the last line. */
export function closing(
  report: Report,
  shown: readonly Race[],
  colors: Colors,
  more: readonly string[] = [],
): string[] {
  const suppressed = Object.entries(report.suppressed ?? {});
  const total = suppressed.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...(report.warnings ?? []).map((warning) =>
      colors.yellow(`deadheat: warning: ${printable(warning)}`),
    ),
    ...(report.remarks ?? []).map((remark) => `deadheat: ${printable(remark)}`),
    ...(total === 0 ? [] : [`deadheat: suppressed ${plural(total, 'race')}:`]),
    ...suppressed.map(([rule, count]) => `  ${count} by ${printable(rule)}`),
    ...comingToNothing(report, shown.length),
    ...proving(report, shown),
    ...more,
    colors.bold(`deadheat: reported ${plural(shown.length, 'race')}${outOf(report, shown)}`),
  ];
}

/** `: 3 harmful, 1 not validated yet`, where they are not all alike; ` of 3: 1 harmful, 2 benign`, if some are not shown. */
function outOf({ engine, races }: Report, shown: readonly Race[]): string {
  const counts = new Map<Verdict, number>();
  for (const { verdict } of races.toSorted(byVerdict)) {
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  const isWhole = shown.length === races.length;
  if (isWhole && counts.size < 2) return '';
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdictWords(verdict, engine)}`);
  return `${isWhole ? '' : ` of ${races.length}`}: ${parts.join(', ')}`;
}

function proving(report: Report, shown: readonly Race[]): string[] {
  const commands = shown.flatMap((race) => provingCommand(report, race) ?? []);
  const what = commands.length === 1 ? 'the race that is predicted' : 'what is predicted';
  return commands.slice(0, 1).map((command) => `deadheat: to prove ${what}: ${printable(command)}`);
}

function comingToNothing({ races }: Report, shown: number): string[] {
  if (shown === races.length) return [];
  const count = (verdict: Verdict): number =>
    races.filter((race) => race.verdict === verdict).length;
  const [benign, diverged] = [count('benign'), count('diverged')];
  const parts = [
    ...(benign > 0 ? [`${plural(benign, 'race')} did no harm the other way round`] : []),
    ...(diverged > 0 ? [`${plural(diverged, 'race')} could not be run the other way round`] : []),
  ];
  const them = benign + diverged === 1 ? 'it' : 'them';
  return parts.length === 0 ? [] : [`deadheat: ${parts.join(', ')}; --all shows ${them}`];
}

function accessorOf(race: Race, pid: number): string | undefined {
  return race.accesses.find((access) => access.pid === pid)?.process;
}

/** The first line stands behind the label, the others below it. */
export function labelled(label: string, text: string): string[] {
  const [first = '', ...rest] = text.split('\n').map(printable);
  return [`  ${label}: ${first}`, ...rest.map((line) => `    ${line}`)];
}

export function verdictColor(verdict: Verdict, colors: Colors): (text: string) => string {
  switch (verdict) {
    case 'harmful':
    case 'confirmed':
      return colors.red;
    case 'detected':
    case 'predicted':
    case 'diverged':
      return colors.yellow;
    case 'benign':
    case 'tolerated':
      return colors.green;
  }
  return unreachable(verdict, 'verdict colour');
}
