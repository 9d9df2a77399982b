/** A recorded program behaves as if nobody watched: same output, same end, same files. */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from './harness/batch.ts';
import { deadheat, deadheatAsPlainUser, LAUNCHER, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const sources = join(PROJECT, 'test/programs');
const programs = readdirSync(sources)
  .filter((name) => name.endsWith('.c'))
  .map((name) => name.slice(0, -2));
/** A plain user may not see into the project's folder. */
let built = '';
beforeAll(() => {
  built = openFolder();
  for (const name of programs) {
    const args = ['-O1', '-Wall', '-Werror', '-pthread', '-o', join(built, name)];
    execFileSync('cc', [...args, join(sources, `${name}.c`)]);
  }
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

const recorders = ['bpf', 'ptrace'];

describe.each(recorders)('programs that are hard to trace, with %s', (recorder) => {
  it.each(programs)('%s', (name) => {
    const [alone, recorded] = [scratchFolder(), scratchFolder()];
    const output = scratchFolder();
    const native = runToEnd(join(built, name), [], { cwd: alone });
    const run = join(output, 'run');
    const watched = deadheat(
      ['record', '-q', '--keep', '--recorder', recorder, '-o', run, '--', join(built, name)],
      {
        cwd: recorded,
      },
    );
    expect(watched).toEqual(native);
    expect(readdirSync(recorded).sort()).toEqual(readdirSync(alone).sort());
    const { status, stdout } = deadheat(['detect', run], { cwd: output });
    // They are read from end to end; nothing that these programs do hangs on who comes first.
    expect(stdout).toMatch(/^deadheat: reported 0 races$/m);
    expect(status).toBe(0);
  });
});

describe('for a plain user', () => {
  it.each(['undumpable', 'own-filter', 'bad-pointers'])('%s', (name) => {
    const native = runToEnd(join(built, name), [], { cwd: scratchFolder() });
    const args = ['record', '-q', '--', join(built, name)];
    expect(deadheatAsPlainUser(args, { cwd: scratchFolder() })).toEqual(native);
  });
});

describe.each(recorders)('what a program inherits, with %s', (recorder) => {
  /** The same command line in the same surroundings, with and without us. */
  function compare(before: string, script: string): string {
    const cwd = scratchFolder();
    const native = runToEnd('bash', ['-c', `${before} sh -c '${script}'`], { cwd });
    const record = `"${LAUNCHER}" record -q --recorder ${recorder} -- sh -c '${script}'`;
    const watched = runToEnd('bash', ['-c', `${before} ${record}`], { cwd });
    expect(watched).toEqual(native);
    return native.stdout;
  }

  it('open files, and only those', () => {
    expect(compare('exec 5</etc/passwd 9>/dev/null;', 'ls /proc/self/fd; head -c 4 <&5')).toMatch(
      /root/,
    );
  });

  it.each(['<&-', '>&-', '2>&-', '<&- >&-'])('closed ones: %s', (closed) => {
    const script =
      'n=0; for fd in 0 1 2; do n=$((n * 2)); [ -e /proc/$$/fd/$fd ] || n=$((n + 1)); done; exit $n';
    compare(`exec ${closed};`, script);
  });

  it('ignored signals', () => {
    const ignored = compare(
      "trap '' HUP USR2 PIPE;",
      'grep SigIgn /proc/self/status; kill -HUP $$; echo alive',
    );
    expect(ignored).toMatch(/SigIgn:\t0000000000001801\nalive/);
  });

  it('the limit of open files', () => {
    expect(compare('ulimit -Sn 300;', 'ulimit -Sn; ulimit -Hn')).toMatch(/^300\n/);
  });

  it('the environment, whatever the names in it, and in its order', () => {
    const variables = [
      'a.b=c',
      'BASH_FUNC_f%%=() { :; }',
      'IFS=x',
      'EMPTY=',
      `PATH=${process.env.PATH}`,
    ];
    const clean = (...command: string[]) =>
      runToEnd('env', ['-i', ...variables, ...command], { cwd: scratchFolder() }).stdout;
    const native = clean('cat', '/proc/self/environ');
    expect(native.split('\0')).toEqual([...variables, '']);
    expect(
      clean(LAUNCHER, 'record', '-q', '--recorder', recorder, '--', 'cat', '/proc/self/environ'),
    ).toBe(native);
  });

  it("make's job server", () => {
    const cwd = scratchFolder();
    const makefile = `all:\n\t+@"${LAUNCHER}" record -q --recorder ${recorder} -- $(MAKE) -f Makefile inner\ninner:\n\t@echo inner\n`;
    execFileSync('tee', ['Makefile'], { cwd, input: makefile });
    const { stderr, stdout } = runToEnd('make', ['-j2'], { cwd });
    expect(stdout).toMatch(/^inner$/m);
    expect(stderr).not.toMatch(/jobserver unavailable/);
  });

  it('nothing of a nohup is lost: a hang-up of the group ends neither us nor the program', () => {
    const script = `setsid -w nohup "${LAUNCHER}" record -q --recorder ${recorder} -- sh -c 'kill -HUP 0; echo survived' </dev/null 2>/dev/null`;
    expect(runToEnd('sh', ['-c', script], { cwd: scratchFolder() }).stdout).toBe('survived\n');
  });
});
