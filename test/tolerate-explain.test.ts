import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadheat, PROJECT } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { toleratedProgram } from './harness/tolerated-program.ts';

const LOCKS = join(PROJECT, 'src/tolerate/testdata/locks.c');

function compiled(folder: string, source: string, ...options: string[]): string {
  execFileSync('gcc', ['-O2', source, ...options, '-o', join(folder, 'locks')], { stdio: 'pipe' });
  return './locks';
}

describe('tolerate --explain', () => {
  it('counts sections, and says of each whether it is isolated', () => {
    const cwd = scratchFolder();
    const program = compiled(cwd, LOCKS, '-g');
    const { status, stdout, stderr } = deadheat(['tolerate', '--explain', '--', program], { cwd });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^critical sections of locks +\d+$/m);
    expect(stdout).toMatch(/^ {2}overlapped +1$/m);
    expect(stdout).toMatch(/simple \(locks\.c:\d+\), under a: isolated, at most 1 word$/m);
    expect(stdout).toMatch(/wrapped \(locks\.c:\d+\), under a mutex by lock_account: isolated/);
    expect(stdout).toMatch(/jumps \(locks\.c:\d+\), under a: not isolated: it calls (\w*)longjmp/);
    expect(stdout).toMatch(/library \(.*\), under a: isolated, .*; open during printf$/m);
  });

  it('tells the same as data', () => {
    const cwd = scratchFolder();
    const program = compiled(cwd, LOCKS, '-g');
    const args = ['tolerate', '--explain', '--json', '-', '--', program];
    const { status, stdout } = deadheat(args, { cwd });
    expect(status).toBe(0);
    const sections: { lock: string; isolate: boolean; reason?: string }[] = JSON.parse(stdout);
    expect(sections.flatMap(({ reason }) => reason ?? [])).toEqual([
      expect.stringContaining('longjmp'),
      'under a read lock, which others may hold too',
    ]);
    expect(sections.map(({ lock }) => lock)).toContain('table_lock');
  });

  it('says the same of each as a run does, which makes the clones', () => {
    const cwd = scratchFolder();
    const program = toleratedProgram('exceptions.cc', '-static-libgcc', '-static-libstdc++');
    const reason = 'the image has its own code for exceptions, which does not know of clones';
    const { stdout } = deadheat(['tolerate', '--explain', '--', program], { cwd });
    expect(stdout).toMatch(/^ {2}isolated +0$/m);
    expect(stdout).toContain(`not isolated: ${reason}`);
    const run = deadheat(['tolerate', '--json', 'races.json', '--', program], { cwd });
    expect(run.stderr).toMatch(/warning: 0 of \d+ critical sections .* are isolated/);
    const { stats } = JSON.parse(readFileSync(join(cwd, 'races.json'), 'utf8'));
    expect(stats.notIsolated).toContainEqual({
      section: 1,
      place: expect.stringContaining('exceptions.cc:'),
      reason,
    });
  });

  it('needs no names', () => {
    const cwd = scratchFolder();
    const program = compiled(cwd, LOCKS, '-s');
    const { status, stdout } = deadheat(['tolerate', '--explain', '--', program], { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ +1 {2}0x[0-9a-f]+, under 0x[0-9a-f]+: isolated/m);
  });

  it('says that locks are taken where nobody can follow', () => {
    const cwd = scratchFolder();
    const tables = ['-fno-asynchronous-unwind-tables', '-fno-unwind-tables'];
    const program = compiled(cwd, LOCKS, ...tables);
    const told = 'it has functions that take locks, but no call of them was found';
    expect(deadheat(['tolerate', '--explain', '--', program], { cwd }).stderr).toContain(told);
  });

  it('says that there is nothing to isolate', () => {
    const cwd = scratchFolder();
    const { status, stdout, stderr } = deadheat(['tolerate', '--explain', '--', 'true'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^critical sections of true +0$/m);
    expect(stderr).toMatch(/takes no lock that deadheat knows/);
  });
});

describe('what cannot be isolated at all', () => {
  const refused = (program: string, cwd: string): string => {
    const { status, stdout, stderr } = deadheat(['tolerate', '--explain', '--', program], { cwd });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    return stderr;
  };

  it('is told: a static program', () => {
    const cwd = scratchFolder();
    expect(refused(compiled(cwd, LOCKS, '-static'), cwd)).toMatch(/linked statically/);
  });

  it('is told: one that a sanitizer has been at', () => {
    const cwd = scratchFolder();
    expect(refused(compiled(cwd, LOCKS, '-fsanitize=thread'), cwd)).toMatch(
      /ThreadSanitizer.*-fsanitize/,
    );
  });

  it('is told: a file that is cut short, or none', () => {
    const cwd = scratchFolder();
    const program = compiled(cwd, LOCKS);
    const bytes = readFileSync(join(cwd, program));
    writeFileSync(join(cwd, program), bytes.subarray(0, 2000));
    expect(refused(program, cwd)).toMatch(/cut short|damaged/);
    expect(refused('./nothing', cwd)).toMatch(/no such file/);
  });
});
