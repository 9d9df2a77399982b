/**
 * The kernel modules of examples/watch-kernel, watched in a guest: all racy ones in one boot, all fixed ones in
 * another. How long it takes hangs on the machine, so the racy ones are watched until enough was caught.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, PROJECT, startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const EXAMPLES = ['rw-race', 'link-count', 'late-size'];
/** rename_file has two accesses that race with two others: four races; the other examples have one each. */
const ALL_RACES = '6';
const FUNCTIONS = '^((read|write)_value|((un)?link|rename)_file|(create|append_to)_object)$';
/** An emulated machine may have little of a busy one. */
const HANGS = '500s';
const timeout = 560_000;

function modules(kind: 'racy' | 'fixed'): string[] {
  const files = EXAMPLES.map((name) => join(PROJECT, 'examples/watch-kernel', name, `${kind}.c`));
  return files.flatMap((file) => ['--module', file]);
}

/** Both functions of each race, in the order of the alphabet. */
const pairs = ({ races }: Report): string[] =>
  races.map(({ accesses }) =>
    accesses
      .map(({ site }) => site.function)
      .sort()
      .join(' / '),
  );

const reportIn = (folder: string): Report =>
  JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;

describe('a kernel in QEMU', () => {
  it('is caught in its races, both sides named, and told as KCSAN tells it', () => {
    const cwd = scratchFolder();
    const until = ['--enough', ALL_RACES, '--duration', HANGS];
    const args = ['--functions', FUNCTIONS, ...until, '--json', 'report.json'];
    const run = deadheat(['watch', '--qemu', ...modules('racy'), ...args], { cwd, timeout });
    expect(run.stdout).toContain('reported 6 races');
    expect(run.status).toBe(66);
    const report = reportIn(cwd);
    expect(new Set(pairs(report))).toEqual(
      new Set([
        'read_value / write_value',
        'link_file / rename_file',
        'rename_file / unlink_file',
        'append_to_object / create_object',
      ]),
    );
    expect(report.races.map(({ verdict }) => verdict)).toEqual(report.races.map(() => 'confirmed'));
    const [first] = report.races.filter(({ object }) => object.name === 'value');
    expect(first!.accesses.map(({ process, op }) => `${process} ${op}`).sort()).toEqual([
      'reader load',
      'writer store',
    ]);
    expect(first!.accesses[0]!.stack.map((site) => site.function)).toContain('run_racer');
    const source = readFileSync(join(PROJECT, 'examples/watch-kernel/rw-race/racy.c'), 'utf8');
    for (const { site, op } of first!.accesses) {
      expect(site.file).toMatch(/rw-race\/racy\.c$/);
      const line = source.split('\n')[site.line! - 1];
      expect(line).toMatch(op === 'load' ? /sum \+= value/ : /\bvalue = get/);
    }
    expect(run.stdout).toMatch(
      /^BUG: KCSAN: data-race in read_value \[rw_race_racy\] \/ write_value \[rw_race_racy\]$/m,
    );
    expect(run.stdout).toMatch(
      /^write to 0xffffffffc[0-9a-f]{7} of 4 bytes by task \d+ on cpu 0:$/m,
    );
    expect(run.stdout).toMatch(/^value changed: 0x[0-9a-f]{8} -> 0x[0-9a-f]{8}$/m);
    const kept = readFileSync(join(cwd, '.deadheat/watch-1/kcsan.txt'), 'utf8');
    expect(run.stdout).toContain(kept);
    expect(readFileSync(join(cwd, '.deadheat/watch-1/console.txt'), 'utf8')).toContain(
      'Linux version',
    );
  });

  it('is not accused of anything where locks are right, until its workload ends', () => {
    const cwd = scratchFolder();
    const workload = 'echo I am on $PROCESSOR; sleep 0.1; exit 3';
    const args = ['--rate', '10', '--workload', workload, '--duration', HANGS];
    const told = ['--json', 'report.json'];
    const run = deadheat(['watch', '--qemu', ...modules('fixed'), ...args, ...told], {
      cwd,
      timeout,
    });
    expect(run.stderr.match(/warning: .*/g)).toEqual([
      'warning: the workload ended with status 3; what it said is in watch-1/console.txt',
    ]);
    expect(readFileSync(join(cwd, '.deadheat/watch-1/console.txt'), 'utf8')).toContain('I am on 1');
    expect(run.status).toBe(0);
    const report = reportIn(cwd);
    expect(report.exit).toEqual({ code: 3 });
    expect(report.races).toEqual([]);
    expect(report.stats.windows).toBeGreaterThan(0);
    expect(report.stats.functions).toBe(16);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('is gone with us, as we end by %s', async (signal) => {
    const cwd = scratchFolder();
    const started = startDeadheat(['watch', '--qemu'], { cwd, env: { TMPDIR: cwd } });
    const guests = (): string =>
      spawnSync('pgrep', ['-f', `${cwd}/deadheat-guest`]).stdout.toString();
    await vi.waitFor(() => expect(guests()).not.toBe(''), { timeout: 60_000 });
    const stderr = text(started.stderr!);
    const ended = once(started, 'exit');
    started.kill(signal);
    expect(await ended).toEqual([null, signal]);
    if (signal === 'SIGINT') expect(await stderr).toContain('nothing was watched');
    await vi.waitFor(() => expect(guests()).toBe(''), { timeout: 60_000 });
  });
});
