/** A program's accesses, as told by clones that log each iteration of a loop, and by those that do not. */
import { expect } from 'vitest';
import { type CloneMode, clonedRun } from './cloned-run.ts';

/** Loops that are told as a whole have groups whose first row has this flag (group-table.ts). */
const LOOP = 8;

/**
 * Runs it in both ways and compares. The program prints where what it touches is: `arena 0x5555… 0x400`, an
 * address and a size; its second thread touches it. Returns how many loops are told as a whole, and how many accesses were told.
 */
export function expectSameAccesses(
  program: string,
  ...args: string[]
): { loops: number; accesses: number } {
  const whole = toldBy(program, 'logging', args);
  const each = toldBy(program, 'unhoisted', args);
  const [more, less] = [minus(whole.accesses, each.accesses), minus(each.accesses, whole.accesses)];
  expect({ more, less }).toEqual({ more: [], less: [] });
  expect(each.loops).toBe(0);
  return { loops: whole.loops, accesses: whole.accesses.size };
}

const minus = (one: ReadonlySet<string>, other: ReadonlySet<string>): string[] =>
  [...one].filter((access) => !other.has(access)).slice(0, 10);

function toldBy(program: string, mode: CloneMode, args: readonly string[]) {
  const native = clonedRun(program, 'native', ...args);
  expect(native.status).toBe(0);
  const run = clonedRun(program, mode, ...args);
  expect(run).toMatchObject({ status: 0, stderr: '', skipped: [] });
  const arenaOf = (stdout: string) => /^arena (0x\w+) (0x\w+)$/m.exec(stdout) ?? [];
  const [line = '', place = '', size = ''] = arenaOf(run.stdout);
  const [nativeLine = ''] = arenaOf(native.stdout);
  expect(run.stdout.replace(line, '')).toBe(native.stdout.replace(nativeLine, ''));
  const [start, end] = [Number(place), Number(place) + Number(size)];
  const accesses = new Set<string>();
  for (const one of run.accesses('2')) {
    const { epoch, address, flags, site } = one;
    if (address < start || address >= end) continue;
    const at = `arena+${address - start}`;
    accesses.add(`epoch ${epoch}: ${flags}${one.size} ${at} at 0x${site.toString(16)}`);
  }
  return { accesses, loops: loopsIn(run.blob.groups) };
}

export function loopsIn(groups: Uint32Array): number {
  let loops = 0;
  for (let at = 0; at < groups.length; at += 2 + 4 * (groups[at]! >>> 16)) {
    if (groups[at + 2 + 3] === LOOP) loops++;
  }
  return loops;
}
