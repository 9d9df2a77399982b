/**
 * What a single call costs more with the sampling agent: the least of several runs of each kind, taken in turn.
 * A block that is freed at once is not told; one that is kept is logged twice.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from './markdown-table.ts';
import { roundsIn } from './sampled-work.ts';
import { withSamplingAgent } from './sampling-agent.ts';
import { compileProgram } from './traced-programs.ts';

const ROUNDS = 5;

export function hooks(folder: string, words: readonly string[]): void {
  const program = compileProgram('hook-costs', folder);
  const [native, sampled] = [new Map<string, number>(), new Map<string, number>()];
  for (let round = roundsIn(words, ROUNDS); round > 0; round--) {
    const samples = join(folder, 'samples');
    keepLeast(native, run([program]));
    keepLeast(sampled, run([...withSamplingAgent(samples, 0), program]));
    rmSync(samples, { recursive: true, force: true });
  }
  const rows = [...native].map(([calls, ns]) => ({
    calls,
    'native ns': ns.toFixed(1),
    'sampled ns': sampled.get(calls)!.toFixed(1),
    more: (sampled.get(calls)! - ns).toFixed(1),
  }));
  console.log(markdownTable(rows));
}

function run([program = '', ...args]: readonly string[]): Map<string, number> {
  const lines = execFileSync(program, args, { encoding: 'utf8' }).trim().split('\n');
  return new Map(
    lines.map((line) => line.split(' ')).map(([name = '', ns]) => [name, Number(ns)] as const),
  );
}

function keepLeast(least: Map<string, number>, found: ReadonlyMap<string, number>): void {
  for (const [name, ns] of found) least.set(name, Math.min(ns, least.get(name) ?? ns));
}
