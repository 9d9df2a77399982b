/**
 * Each check that was made, as a CSPm script: one for each variable and pair of threads with a race or a
 * candidate. Names tell what a script is about, and what became of it:
 *
 *   y-T1-T2.race.csp           its assertion fails, and the counterexample is a witness
 *   x-T1-T2.no-race.csp        its assertion holds
 *   z-T1-T2.undecided.csp      nobody knows yet: here somebody with more time may find out
 */

import { exportModel } from './csp/export-model.ts';
import { RaceModels } from './csp/program/race-model.ts';
import { TraceSteps } from './csp/program/trace-steps.ts';
import { Labels } from './model/labels.ts';
import type { ThreadTrace } from './model/trace.ts';
import type { Predicted } from './predict/predict-races.ts';
import type { AccessPair } from './predict/race.ts';
import { windowFor } from './predict/window-for.ts';

/** A folder with more is of no use to anybody. */
export const MOST_SCRIPTS = 1000;

type Outcome = 'race' | 'undecided' | 'no-race';

interface Check {
  /** The pair that says most: one that races, if there is any. */
  readonly pair: AccessPair;
  readonly outcome: Outcome;
}

export interface ExportOptions {
  readonly sound: boolean;
  readonly windowLength?: number;
  readonly mostScripts?: number;
}

export interface Exported {
  readonly scripts: number;
  /** How many were too many, or about accesses that are too far apart for a window. */
  readonly leftOut: number;
}

export function exportChecks(
  trace: ThreadTrace,
  { looked }: Pick<Predicted, 'looked'>,
  { sound, windowLength, mostScripts = MOST_SCRIPTS }: ExportOptions,
  write: (name: string, text: string) => void,
): Exported {
  const checks = checksOf(looked);
  const labels = new Labels(trace.tables);
  const models = new RaceModels(trace, new TraceSteps(trace));
  const names = new Set<string>();
  for (const { pair, outcome } of checks) {
    if (names.size === mostScripts) break;
    const { variable, first, second } = pair;
    const window = windowFor(first.event, second.event, trace.length, windowLength);
    if (window === undefined) continue;
    const accesses = { variable, threads: [first.thread, second.thread] as const };
    const parts = [labels.variable(variable), ...accesses.threads.map((one) => labels.thread(one))];
    const name = freshName(parts.map(plainName).join('-'), outcome, names);
    write(name, exportModel(trace, accesses, { sound, window }, models));
  }
  return { scripts: names.size, leftOut: checks.length - names.size };
}

/** By variable and threads: what is known of any of their pairs. */
function checksOf(looked: Predicted['looked']): Check[] {
  const checks = new Map<string, Check>();
  const add = (pairs: readonly AccessPair[], outcome: Outcome): void => {
    for (const pair of pairs) {
      const threads = [pair.first.thread, pair.second.thread].sort((a, b) => a - b);
      const key = `${pair.variable} ${threads.join(' ')}`;
      if (!checks.has(key)) checks.set(key, { pair, outcome });
    }
  };
  add(looked.race, 'race');
  add(looked.undecided, 'undecided');
  add(looked.none, 'no-race');
  return [...checks.values()];
}

/** `queue.slots[3]` is `queue.slots_3`, and so on: what any file system takes. */
function plainName(label: string): string {
  const plain = label.replace(/[^A-Za-z0-9_.]+/g, '_').replace(/^[_.]+|_+$/g, '');
  return plain === '' ? 'unnamed' : plain.slice(0, 60);
}

function freshName(stem: string, outcome: Outcome, names: Set<string>): string {
  let name = `${stem}.${outcome}.csp`;
  for (let number = 2; names.has(name); number++) name = `${stem}-${number}.${outcome}.csp`;
  names.add(name);
  return name;
}
