/**
 * The rules a SARIF file explains its results with: one for each engine and kind, such as
 * `procs/load-store`. The id is what people configure and filter by, so it never changes; an
 * engine that invents a new kind gets its rule without a change here.
 */
import type { ReportingDescriptor, Result } from 'sarif';
import { unreachable } from '../../base/assert.ts';
import { printable } from '../../base/bytes.ts';
import type { Engine } from '../../base/engines.ts';
import type { Verdict } from '../model.ts';
import { capitalize, raceName } from '../wording.ts';

export function ruleId(engine: Engine, kind: string): string {
  return printable(`${engine}/${kind}`);
}

export function ruleFor(engine: Engine, kind: string): ReportingDescriptor {
  const { between, found, advice } = explanations[engine];
  const name = capitalize(raceName(kind));
  return {
    id: ruleId(engine, kind),
    name: pascalCase(`${engine} ${raceName(kind)}`),
    shortDescription: { text: `${name} between ${between}` },
    fullDescription: {
      text: `The outcome depends on which of the ${between} comes first. ${found}`,
    },
    help: {
      text: `${found}\n\n${advice}`,
      markdown: `${found}\n\n**How to mend it.** ${advice}`,
    },
    defaultConfiguration: { level: 'warning' },
    properties: { tags: ['concurrency', 'race-condition', engine] },
  };
}

export function levelOf(verdict: Verdict): Result.level {
  switch (verdict) {
    case 'harmful':
    case 'confirmed':
      return 'error';
    case 'detected':
    case 'predicted':
    case 'diverged':
      return 'warning';
    case 'benign':
    case 'tolerated':
      return 'note';
  }
  return unreachable(verdict, 'SARIF level');
}

interface Explanation {
  readonly between: string;
  readonly found: string;
  readonly advice: string;
}

const lockAdvice =
  'Guard both accesses with the same lock, make the variable atomic, or hand the data over ' +
  'through a queue or a join.';

const explanations: Record<Engine, Explanation> = {
  procs: {
    between: 'processes',
    found:
      'deadheat recorded the system calls of a process tree and found two that touch the same ' +
      'object without an order between them; where it could, it ran the program again with the ' +
      'two swapped.',
    advice:
      'Put the two in an order: wait for the one process before the other starts, add the ' +
      'missing dependency to the makefile, take a lock (flock), or use a call that cannot be ' +
      'interrupted halfway (O_EXCL, rename, mkdir -p).',
  },
  threads: {
    between: 'threads',
    found:
      'deadheat traced one run of the program and worked out another interleaving of its threads ' +
      'in which two accesses to the same memory meet; a confirmed one was also run.',
    advice: lockAdvice,
  },
  sample: {
    between: 'threads',
    found:
      'deadheat sampled memory accesses in a running program and found two to the same memory ' +
      'that no common lock protects.',
    advice: lockAdvice,
  },
  watch: {
    between: 'threads',
    found:
      'deadheat stopped a thread just before it touched some memory, and the debug registers ' +
      'caught another one touching the same memory meanwhile.',
    advice: lockAdvice,
  },
  tolerate: {
    between: 'threads',
    found:
      'While one thread held a lock, another one touched the same memory without it; deadheat ' +
      'ran the critical section on a private copy.',
    advice: `${lockAdvice} deadheat kept the program alive; the race is still in it.`,
  },
};

const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('');
