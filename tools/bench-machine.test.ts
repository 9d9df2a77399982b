import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { machine, processors, sourcesIn } from './bench-machine.mjs';

describe('the sources that are measured', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'deadheat-sources-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are named by their commit, and whether they have changed since', () => {
    expect(sourcesIn(folder)).toBe('no commit');
    git('init', '-q');
    writeFileSync(join(folder, 'source.c'), 'one');
    git('add', '.');
    git('commit', '-qm', 'first');
    expect(sourcesIn(folder)).toMatch(/^[0-9a-f]{7,}$/);
    writeFileSync(join(folder, 'source.c'), 'two');
    expect(sourcesIn(folder)).toMatch(/^[0-9a-f]{7,} with changes$/);
  });

  it('are not changed by what benchmarks write', () => {
    git('init', '-q');
    git('commit', '-qm', 'first', '--allow-empty');
    mkdirSync(join(folder, 'bench', 'results'), { recursive: true });
    for (const file of ['results.md', 'results/record.md']) {
      writeFileSync(join(folder, 'bench', file), 'measured');
    }
    expect(sourcesIn(folder)).not.toContain('changes');
    writeFileSync(join(folder, 'bench', 'new.ts'), 'measures');
    expect(sourcesIn(folder)).toContain('with changes');
  });
});

it('tells the machine, with its processors', () => {
  expect(machine()).toContain(`| processors | ${processors()} |`);
  expect(processors()).toMatch(/^\d+ × ./);
});
