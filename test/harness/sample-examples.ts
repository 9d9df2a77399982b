/**
 * The programs of examples/sample, what is true of them, and what sampling a run of them leads to. What the fields of
 * expected.json mean is said in examples/README.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Race } from '../../src/report/model.ts';
import { type Lines, pairOf } from './thread-scenarios.ts';

interface LinesOfRace {
  readonly variable: string;
  readonly lines: Lines;
}

export interface SampleExample {
  readonly name: string;
  readonly folder: string;
  readonly expected: {
    readonly about: string;
    readonly racy?: string;
    readonly fixed?: string;
    readonly clean?: string;
    readonly output: string;
    readonly races: readonly LinesOfRace[];
    readonly falseAlarms?: readonly LinesOfRace[];
    readonly why?: string;
  };
}

/** @param home examples/sample */
export function sampleExamplesIn(home: string): readonly SampleExample[] {
  return readdirSync(home)
    .sort()
    .map((name) => ({ name, folder: join(home, name) }))
    .filter(({ folder }) => existsSync(join(folder, 'expected.json')))
    .map(({ name, folder }) => {
      const text = readFileSync(join(folder, 'expected.json'), 'utf8');
      return { name, folder, expected: JSON.parse(text) as SampleExample['expected'] };
    });
}

/** What is told of an example, whether it is true or not. */
export const toldOf = ({ expected }: SampleExample): readonly LinesOfRace[] => [
  ...expected.races,
  ...(expected.falseAlarms ?? []),
];

/** With debug information, and optimised, as servers are. */
export function compileSampled(source: string, output: string, ...flags: string[]): void {
  const options = ['-g', '-O2', '-Wall', '-Wextra', '-pthread', ...flags];
  execFileSync('cc', [...options, source, '-o', output]);
}

/** `26 36`, the lower line first; where a place is not in that program's own source, what is known of it: `memcpy`. */
export function placesOf({ accesses }: Race, program: string): string {
  const places = accesses.map(({ site: { file, line, function: name, address } }) => {
    if (file !== undefined && line !== undefined)
      return basename(file) === program ? line : `${basename(file)}:${line}`;
    return name ?? address ?? 'unknown';
  });
  const [one, other] = places;
  return typeof one === 'number' && typeof other === 'number'
    ? pairOf([one, other])
    : places.join(' ');
}
