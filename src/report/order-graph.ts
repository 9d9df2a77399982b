/**
 * The happens-before graph around a race as text: a lane for each process, a row for each step, and
 * an arrow where a step of one process comes after one of another. The racing steps have a mark.
 *
 *      10   11   12
 *      ●              sh: fork() = 11
 *      ●              sh: fork() = 12
 *      ├───▶●         cat: read("counter")            ‖
 *      ├────┼───▶●    sh: openat("counter", O_TRUNC)  ‖
 *      │    ●    │    cat: exit(0)
 *      ●◀───┘    │    sh: wait4(-1) = 11
 */
import { printable } from '../base/printable.ts';
import type { OrderedStep } from './model.ts';

const GAP = 2;

export function orderLines(steps: readonly OrderedStep[]): string[] {
  const lanes = [...new Set(steps.map(({ pid }) => pid))];
  const width = Math.max(...lanes.map((pid) => String(pid).length)) + GAP;
  const header = lanes.map((pid) => String(pid).padEnd(width)).join('');
  return [header.trimEnd(), ...steps.map((_, row) => line(steps, row, lanes, width))];
}

function line(
  steps: readonly OrderedStep[],
  row: number,
  lanes: readonly number[],
  width: number,
): string {
  const step = steps[row]!;
  const own = lanes.indexOf(step.pid);
  const cells = lanes.map((pid) => (isOpen(steps, row, pid) ? '│' : ' ').padEnd(width).split(''));
  const sources = new Map(
    (step.after ?? []).map((source) => {
      const pid = steps[source]?.pid;
      return [lanes.indexOf(pid ?? -1), steps.slice(row).some((later) => later.pid === pid)];
    }),
  );
  for (const from of sources.keys()) if (from >= 0 && from !== own) drawArrow(cells, from, own);
  for (const [from, goesOn] of sources) {
    if (from >= 0 && from !== own) markSource(cells, from, own, goesOn);
  }
  cells[own]![0] = '●';
  const mark = step.races ? '  ‖' : '';
  return `${cells.map((cell) => cell.join('')).join('')}  ${printable(step.what)}${mark}`;
}

/** Whether the lane of a process has begun and not yet ended. */
function isOpen(steps: readonly OrderedStep[], row: number, pid: number): boolean {
  const has = ({ pid: other }: OrderedStep): boolean => other === pid;
  return steps.slice(0, row).some(has) && steps.slice(row).some(has);
}

function drawArrow(cells: string[][], from: number, to: number): void {
  const [left, right] = from < to ? [from, to] : [to, from];
  for (let lane = left; lane < right; lane++) {
    const cell = cells[lane]!;
    for (let at = lane === left ? 1 : 0; at < cell.length; at++) {
      if (cell[at] === '│') cell[at] = '┼';
      else if (cell[at] === ' ') cell[at] = '─';
    }
  }
  if (from < to) cells[to - 1]!.splice(-1, 1, '▶');
  else cells[to]![1] = '◀';
}

/** Where an arrow leaves its lane, which goes on below or not; another arrow may pass through. */
function markSource(cells: string[][], from: number, to: number, goesOn: boolean): void {
  const beyond = from < to ? cells[from - 1]?.at(-1) : cells[from]?.[1];
  const isPassed = beyond === '─';
  const [alone, ended] = from < to ? ['├', '└'] : ['┤', '┘'];
  cells[from]![0] = isPassed ? (goesOn ? '┼' : '┴') : goesOn ? alone : ended;
}
