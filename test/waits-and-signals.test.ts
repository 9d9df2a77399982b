/** Races of waits and signals, run the other way round: a racy script of each kind, and its fixed twin. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** `wait-wakeups harmful`, for each race of what a shell does, also without consequence. */
function verdictsOn(script: string, shell = 'dash'): string[] {
  const cwd = scratchFolder();
  const args = ['procs', '-q', '--all', '--json', 'report.json', '--', shell, '-c', script];
  deadheat(args, { cwd });
  const { races } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report;
  return races.map(({ kind, verdict }) => `${kind} ${verdict}`);
}

describe('a wait that sleeps until any child has ended', () => {
  // The first job is waited for, and the second one taken to be done by then.
  const jobs = '(sleep 0.4; echo a >a) & first=$!; (sleep 0.1; echo b >b) & second=$!;';

  it('gets the other child first', () => {
    expect(verdictsOn(`${jobs} wait $first; cat b; wait`)).toEqual(['wait-wakeups harmful']);
  });

  it('gets either first, if both are waited for', () => {
    expect(verdictsOn(`${jobs} wait $first $second; cat b`)).toEqual(['wait-wakeups benign']);
    expect(verdictsOn(`${jobs} wait; cat a b`)).toEqual(['wait-wakeups benign']);
  });
});
