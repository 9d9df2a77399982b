/** Programs in C, run so that two of their threads stand at the same bytes at once; what became of that. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type {
  RacingSides,
  StandOffLimits,
  StandOffResult,
} from '../../src/threads/confirm/side.ts';
import { standOff } from '../../src/threads/confirm/stand-off.ts';
import {
  LIMITS,
  racingProgram,
  runnable,
  runningFrom,
  sideAt,
  variableIn,
} from './racing-program.ts';
import { scratchFolder } from './scratch.ts';

export interface Given {
  /** Which sides store; side_a if nothing is said. */
  stores?: string;
  /** Labels of the two sides. */
  labels?: readonly [string, string];
  limits?: Partial<StandOffLimits>;
  /** A variable with a name, and its size. */
  variable?: readonly [string, number];
  options?: readonly string[];
  /** Processes of its own, that outlive it. */
  leavesOthers?: boolean;
}

export interface Ran {
  result: StandOffResult;
  folder: string;
  binary: string;
}

/** Under stand-off: two labels of a program in C, and no schedule. */
export async function standingOff(text: string, given: Given = {}): Promise<Ran> {
  const { stores = 'a', labels = ['side_a', 'side_b'], limits, variable, options = [] } = given;
  const folder = scratchFolder();
  const binary = racingProgram(folder, text, ...options);
  const [a, b] = labels;
  const race: RacingSides = {
    sides: [sideAt(binary, a, stores.includes('a')), sideAt(binary, b, stores.includes('b'))],
    variable: variable && variableIn(binary, ...variable),
  };
  // Programs leave what they have to say in a file there.
  const program = runnable(folder, binary, join(folder, 'said'));
  const result = await standOff(program, undefined, race, { ...LIMITS, ...limits });
  if (!given.leavesOthers) expect(runningFrom(folder)).toEqual([]);
  return { result, folder, binary };
}

export const said = (folder: string): string => readFileSync(join(folder, 'said'), 'utf8');

export function confirmed({ result }: Ran): Extract<StandOffResult, { kind: 'confirmed' }> {
  expect(result, JSON.stringify('reason' in result && result.reason)).toMatchObject({
    kind: 'confirmed',
  });
  return result as Extract<StandOffResult, { kind: 'confirmed' }>;
}

export function missed({ result }: Ran): Extract<StandOffResult, { kind: 'missed' }> {
  expect(result).toMatchObject({ kind: 'missed' });
  return result as Extract<StandOffResult, { kind: 'missed' }>;
}

export const SAY = `
static void say(char **argv, const char *text) {
  FILE *file = fopen(argv[1], "a");
  fputs(text, file);
  fclose(file);
}
`;

export const GLOBAL = `
int shared = 5;
void store(void) { SIDE_A("movl $7, %0", : "=m"(shared)); }
int load(void) { int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared)); return v; }
void *worker(void *none) { store(); return none; }
int main(void) { pthread_t t = start(worker); load(); pthread_join(t, NULL); return shared; }
`;
