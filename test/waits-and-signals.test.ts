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

describe('a signal that interrupts a wait', () => {
  // The job may have ended before the signal comes.
  const start = "trap 'told=1' USR1; (sleep 2; echo >out) & job=$!;";
  const tell = '(sleep 0.4; kill -USR1 $$) & teller=$!; wait $job;';

  it('comes after it', () => {
    const script = `${start} ${tell} [ $? -gt 128 ] && wait $job && echo >told; cat told`;
    expect(verdictsOn(script)).toContain('signal harmful');
  });

  it('may, if what it says is looked at when it must have come', () => {
    const script = `${start} ${tell} wait $teller; wait $job; [ "$told" ] && echo >told; cat told`;
    const verdicts = verdictsOn(script);
    expect(verdicts.filter((one) => one === 'signal benign').length).toBeGreaterThan(1);
    expect(verdicts.filter((one) => !one.endsWith(' benign'))).toEqual([]);
  });
});

describe('a wait that sleeps until any child has ended', () => {
  // The first job is waited for, and the second one taken to be done by then.
  const jobs = '(sleep 2.5; echo a >a) & first=$!; (sleep 1.5; echo b >b) & second=$!;';

  it('gets the other child first', () => {
    expect(verdictsOn(`${jobs} wait $first; cat b; wait`)).toEqual(['wait-wakeups harmful']);
  });

  it('gets either first, if both are waited for', () => {
    expect(verdictsOn(`${jobs} wait $first $second; cat b`)).toEqual(['wait-wakeups benign']);
    expect(verdictsOn(`${jobs} wait; cat a b`)).toEqual(['wait-wakeups benign']);
  });
});
