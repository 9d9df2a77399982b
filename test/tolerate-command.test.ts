import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseReport } from '../src/report/parse.ts';
import { deadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { toleratedProgram } from './harness/tolerated-program.ts';

const EXAMPLES = new URL('../examples/tolerate/', import.meta.url).pathname;

function example(name: string): string {
  const binary = join(scratchFolder(), 'example');
  execFileSync('cc', ['-O2', '-g', '-o', binary, join(EXAMPLES, name), '-lpthread']);
  return binary;
}

describe('deadheat tolerate', () => {
  it('keeps what is not guarded from hurting what is, and tells of it', () => {
    const cwd = scratchFolder();
    const program = example('single-threaded-library/racy.c');
    const args = ['tolerate', '--json', 'races.json', '-q', '--', program, '20000'];
    const { status, stdout } = deadheat(args, { cwd });
    expect(stdout).toMatch(/^torn 0 of 20000\n/);
    expect(status).toBe(0);
    const report = parseReport(readFileSync(join(cwd, 'races.json'), 'utf8'), 'races.json');
    if (!report.ok) throw report.error;
    expect(report.value.races[0]).toMatchObject({ kind: 'asymmetric-race', verdict: 'tolerated' });
    expect(report.value.races[0]?.accesses[0]?.site).toMatchObject({
      file: expect.stringMatching(/racy\.c$/),
    });
  });

  it.each([['-fno-builtin'], ['-D_FORTIFY_SOURCE=2', '-fno-plt']])(
    'has memcpy and its kin work on copies (%s)',
    (...flags) => {
      const program = toleratedProgram('copies.c', ...flags);
      // A string whose end is overwritten may also be what libc's checks end the program for.
      const isTorn = (): boolean => `${spawnSync(program, ['20000']).stdout}` !== 'torn 0\n';
      expect(Array.from({ length: 20 }).some(isTorn)).toBe(true);
      const cwd = scratchFolder();
      const { status, stdout } = deadheat(['tolerate', '-q', '--', program, '20000'], { cwd });
      expect(stdout).toMatch(/^torn 0\n/);
      expect(status).toBe(0);
      const { stdout: told } = deadheat(['tolerate', '--explain', '--', program], { cwd });
      expect(told).not.toMatch(/open during .*(mem|str)/);
    },
  );

  it('leaves a correct program as it is, its output included', () => {
    const program = toleratedProgram('correct.c');
    const run = deadheat(['tolerate', '--', program, '300'], { cwd: scratchFolder() });
    expect(run.stdout).toBe(execFileSync(program, ['300'], { encoding: 'utf8' }));
    expect(run.status).toBe(0);
  });

  it.each([['-O0'], ['-O2'], ['-O2', '-fexceptions']])(
    'minds longjmp, cancellation and the end of threads out of sections (%s)',
    (...flags) => {
      const program = toleratedProgram('ways-out.c', ...flags);
      const run = deadheat(['tolerate', '-q', '--', program], { cwd: scratchFolder() });
      expect(run).toMatchObject({ status: 0, stderr: '' });
      expect(run.stdout).toBe(execFileSync(program, { encoding: 'utf8' }));
    },
  );

  it('leaves sections alone that signal handlers may jump out of, and says so', () => {
    const program = toleratedProgram('handler-jump.c');
    const cwd = scratchFolder();
    const run = deadheat(['tolerate', '--', program], { cwd });
    expect(run.stdout).toBe(execFileSync(program, { encoding: 'utf8' }));
    expect(run.stderr).toContain('0 of 2 critical sections of handler-jump are isolated');
    const { stdout } = deadheat(['tolerate', '--explain', '--', program], { cwd });
    expect(stdout).toMatch(/not isolated: a signal handler may jump out of it \(siglongjmp\)/);
  });

  const stressed = (...options: string[]) => {
    const cwd = scratchFolder();
    const program = toleratedProgram('stress.c');
    const args = ['tolerate', '-q', '-o', 'run', ...options, '--', program, '50000'];
    const path = join(cwd, 'run', 'report.json');
    const ended = deadheat(args, { cwd });
    const report = parseReport(readFileSync(path, 'utf8'), path);
    if (!report.ok) throw report.error;
    return { ...ended, races: report.value.races };
  };

  it('resolves nothing if it is only to detect', () => {
    const { races, stdout } = stressed('--detect', '--blind-writes');
    expect(stdout).toMatch(/^torn 0\n/);
    expect(races.length).toBeGreaterThan(0);
    for (const { verdict, evidence } of races) {
      expect(verdict).toBe('detected');
      expect(evidence).toMatch(/^class III: memory has 0x\w+ now, what the section made: nothing/);
    }
  });

  it('does not end the program at each race that it only detects', () => {
    const args = ['tolerate', '--detect', '--intolerable', 'halt', '--', 'true'];
    const { status, stderr } = deadheat(args, { cwd: scratchFolder() });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/--detect.*--intolerable/)]);
  });

  it('ends the program at what it cannot tolerate, if asked to, and only there', () => {
    const ended = stressed('--intolerable', 'halt');
    expect(ended.signal).toBe('SIGKILL');
    expect(ended.stderr).toContain('ended at a race that cannot be tolerated');
    expect(ended.races[0]).toMatchObject({ verdict: 'detected' });
    const tolerated = stressed('--intolerable', 'halt', '--blind-writes');
    expect(tolerated).toMatchObject({ status: 0, stdout: expect.stringMatching(/^torn 0\n/) });
    expect(tolerated.races.every(({ verdict }) => verdict === 'tolerated')).toBe(true);
  });

  it('writes a report that was asked for, although there is no race', () => {
    const cwd = scratchFolder();
    const program = toleratedProgram('correct.c');
    const files = ['--json', 'races.json', '--sarif', 'races.sarif'];
    expect(deadheat(['tolerate', '-q', ...files, '--', program, '300'], { cwd }).status).toBe(0);
    const report = JSON.parse(readFileSync(join(cwd, 'races.json'), 'utf8'));
    expect(report).toMatchObject({ engine: 'tolerate', races: [] });
    expect(JSON.parse(readFileSync(join(cwd, 'races.sarif'), 'utf8'))).toMatchObject({
      version: '2.1.0',
    });
  });

  it('says that sections on stacks of the program itself are not isolated', () => {
    const cwd = scratchFolder();
    const program = toleratedProgram('own-stack.c');
    const { status, stdout, stderr } = deadheat(['tolerate', '--', program], { cwd });
    expect([status, stdout]).toEqual([0, 'total 1\n']);
    expect(stderr).toContain(
      'sections of 1 thread were not isolated: on stacks that own-stack has made itself',
    );
  });

  it('ends as the program does, and says that it has no sections', () => {
    const run = deadheat(['tolerate', '--', 'sh', '-c', 'exit 7'], { cwd: scratchFolder() });
    expect(run.status).toBe(7);
    expect(run.stderr).toContain('has no critical sections of its own: it ran as it is');
  });

  it('refuses what nothing can be loaded into', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'static.c'), 'int main(void) { return 0; }\n');
    execFileSync('cc', ['-static', '-o', 'static', 'static.c'], { cwd });
    const run = deadheat(['tolerate', '--', './static'], { cwd });
    expect(run.status).toBe(2);
    expect(run.stderr).toContain('linked statically');
  });
});
