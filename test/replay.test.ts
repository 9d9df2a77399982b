/** `replay`: a recorded run once more, with the same output, status and files; or one of its races. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  deadheat,
  deadheatAsPlainUser,
  LAUNCHER,
  runToEnd,
  type Surroundings,
} from './harness/deadheat.ts';
import { folderContents } from './harness/folder-contents.ts';
import { inGoodOrder } from './harness/good-order.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';

type Run = typeof deadheat;

/** Where the layer of the file system with this folder is differs between users and machines. */
function changesIn(run: string): string[] {
  const { files } = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')) as {
    files: { layers: { place: string; changes: string }[] };
  };
  return files.layers.map(({ changes }) => changes);
}

interface Told {
  status: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Records a program and replays it; both with what they left. */
function recordedAndReplayed(
  command: readonly string[],
  around: Surroundings,
  run: Run = deadheat,
  recorder = 'auto',
): { recorded: Told; replayed: Told; files: string[][]; filesAgain: string[][] } {
  const recorded = run(['record', '-q', '--recorder', recorder, '--', ...command], around);
  const { input: _, ...rest } = around;
  const replayed = run(['replay', '-q'], rest);
  const folder = join(around.cwd, '.deadheat/procs-1');
  const layers = changesIn(folder);
  const again = join(folder, 'attempts/replay-recorded');
  return {
    recorded,
    replayed,
    files: layers.map((layer) => folderContents(join(folder, layer))),
    filesAgain: layers.map((layer) => folderContents(join(again, layer))),
  };
}

const EVERYTHING = `
  cat >input; wc -c <input
  file=$(mktemp -p .); echo $$ >"$file"; folder=$(mktemp -d -p .); echo $$ >"$folder/mine-$$"
  (echo first; sleep 0.05; echo $(exec sh -c 'echo $PPID') >child) &
  (sleep 0.02; echo second >&2; ln -s child link) &
  wait; rm "$file"; mkdir -m 750 made; echo third
  exit 7`;

describe('a run that is replayed', () => {
  it.each([
    ['root', deadheat, 'ptrace'],
    ['root, whose clock reads were not recorded,', deadheat, 'auto'],
    ['a plain user', deadheatAsPlainUser, 'ptrace'],
  ])(
    'repeats output, status and files, with input, made-up names, numbers and jobs, as %s',
    (_, run, recorder) => {
      const around = { cwd: scratchFolder(), input: 'one\ntwo\n' };
      const { recorded, replayed, files, filesAgain } = recordedAndReplayed(
        ['sh', '-c', EVERYTHING],
        around,
        run,
        recorder,
      );
      expect(recorded).toEqual({
        ...{ status: 7, signal: null, stderr: 'second\n' },
        stdout: '8\nfirst\nthird\n',
      });
      expect(replayed).toEqual(recorded);
      expect(files.flat().join('\n')).toMatch(/\/child [\s\S]*\/mine-3 /);
      // The names that mktemp makes up come from the clock.
      const isExact = recorder === 'ptrace';
      const known = (name: string): string =>
        isExact ? name : name.replace(/tmp\.\w{10}/g, 'tmp.XXXXXXXXXX');
      expect(filesAgain.flat().map(known)).toEqual(files.flat().map(known));
    },
  );

  it('is told the same time and the same random numbers, in whichever program', () => {
    const cwd = scratchFolder();
    const script = `
      echo $RANDOM; date +%s.%N; mktemp -u; (head -c 9 /dev/urandom | od -x) & wait
      python3 -c 'import random, time, uuid; print(random.random(), uuid.uuid4(), time.time())'
      perl -e 'srand(time); print rand, "\\n"'`;
    const command = ['--recorder', 'ptrace', '--', 'bash', '-c', script];
    const recorded = deadheat(['record', '-q', ...command], { cwd });
    expect(recorded.stdout.split('\n')).toHaveLength(7 + 1);
    expect(deadheat(['replay', '-q'], { cwd })).toEqual(recorded);
  });

  it('is told the real time if it compares that to the times of files', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'Makefile'), 'all: b\na:\n\techo >a\nb: a\n\tcp a b\n');
    deadheat(['record', '-q', '--recorder', 'ptrace', '--', 'make', '-j2'], { cwd });
    const { stderr, status } = deadheat(['replay', '-q'], { cwd });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('dies by the same signal', () => {
    const command = ['sh', '-c', 'echo before >file; sleep 0.01; kill -SEGV $$; echo after'];
    const { recorded, replayed, files, filesAgain } = recordedAndReplayed(command, {
      cwd: scratchFolder(),
    });
    expect(recorded).toMatchObject({ signal: 'SIGSEGV', stdout: '' });
    expect(replayed).toEqual(recorded);
    expect(filesAgain).toEqual(files);
  });

  it.each(['bash', 'dash'])('waits again when a signal has interrupted it, in %s', (shell) => {
    const jobs = '(sleep 2; echo done >file) & (sleep 0.4; kill -USR1 $$) &';
    const script = `trap 'echo told' USR1; ${jobs} wait; echo $?; wait; cat file`;
    const command = [shell, '-c', script];
    const { recorded, replayed } = recordedAndReplayed(command, { cwd: scratchFolder() });
    expect(recorded).toMatchObject({ status: 0, stdout: 'told\n138\ndone\n' });
    expect(replayed).toEqual(recorded);
  });

  it('does the same with threads', () => {
    const cwd = scratchFolder();
    const lines = [
      'import subprocess, threading',
      'def work(n):',
      '    with open(f"out-{n}", "w") as file: file.write(f"{n}\\n")',
      'threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]',
      'for thread in threads: thread.start()',
      'for thread in threads: thread.join()',
      'subprocess.run("cat out-* >all & echo $$ >number; wait", shell=True)',
      'print([open(f"out-{n}").read() for n in range(3)])',
    ];
    writeFileSync(join(cwd, 'program.py'), lines.join('\n'));
    const { recorded, replayed, files, filesAgain } = recordedAndReplayed(
      ['python3', 'program.py'],
      { cwd },
    );
    expect(recorded).toMatchObject({ status: 0, stderr: '' });
    expect(recorded.stdout).toBe("['0\\n', '1\\n', '2\\n']\n");
    expect(replayed).toEqual(recorded);
    expect(filesAgain).toEqual(files);
  });

  it('is refused what it was refused', () => {
    const ring = 'my $p = "\\0" x 120; print syscall(425, 8, $p) < 0 ? "refused" : "made"';
    const { recorded, replayed } = recordedAndReplayed(['perl', '-e', ring], {
      cwd: scratchFolder(),
    });
    expect(recorded.stdout).toBe('refused');
    expect(replayed.stdout).toBe('refused');
  });

  it('has threads start processes in the same order', () => {
    const cwd = scratchFolder();
    const source = join(import.meta.dirname, 'harness/threads-that-start.c');
    execFileSync('cc', ['-pthread', '-o', join(cwd, 'program'), source]);
    const command = ['sh', '-c', './program; cat log'];
    const { recorded, replayed } = recordedAndReplayed(command, { cwd });
    expect(recorded.stdout.split('\n')).toHaveLength(5);
    expect(replayed).toEqual(recorded);
    expect(deadheat(['replay', '-q'], { cwd })).toEqual(recorded);
  });

  it('reads the same file, and says so if that is gone', () => {
    const cwd = scratchFolder();
    const input = join(cwd, 'input');
    writeFileSync(input, 'from a file\n');
    const record = `"${LAUNCHER}" record -q -- head -n1 <input`;
    expect(runToEnd('sh', ['-c', record], { cwd }).stdout).toBe('from a file\n');
    expect(deadheat(['replay', '-q'], { cwd }).stdout).toBe('from a file\n');
    rmSync(input);
    expect(deadheat(['replay', '-q'], { cwd })).toMatchObject({
      status: 2,
      stderr: `deadheat: cannot open ${input}, which was the input of the program; put it back, or record the program again\n`,
    });
  });

  it('is where the remark says, and leaves nothing running', () => {
    const cwd = scratchFolder();
    deadheat(
      ['record', '-q', '--', 'sh', '-c', 'echo said; echo made >file; sleep 1000 & kill $!'],
      { cwd },
    );
    const { stderr } = deadheat(['replay'], { cwd });
    const [, folder = ''] = /are in (.*)\n$/.exec(stderr) ?? [];
    expect(readFileSync(join(folder, 'stdout'), 'utf8')).toBe('said\n');
    expect(sandboxedIn(cwd)).toEqual([]);
  });
});

describe('a race that is replayed', () => {
  const RACY = 'mkdir d & { sleep 0.1; echo x >d/f; } & wait';

  it('does its harm again, as often as one likes', () => {
    const { cwd, status, stdout } = inGoodOrder(() => {
      const folder = scratchFolder();
      const ended = deadheat(['procs', '-q', '--', 'sh', '-c', RACY], { cwd: folder });
      return { ...ended, cwd: folder, isGood: ended.stderr === '' };
    });
    expect(status).toBe(66);
    const [, command = ''] = /Replay: deadheat (.*)/.exec(stdout) ?? [];
    expect(command).toBe('replay procs-1 R1');
    for (let time = 0; time < 2; time++) {
      const { stderr } = deadheat([...command.split(' '), '-q'], { cwd });
      expect(stderr).toMatch(/cannot create d\/f: Directory nonexistent/);
    }
    expect(deadheat(['replay', '-q'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    expect(deadheat(['replay', 'procs-1', 'R9'], { cwd })).toMatchObject({
      status: 2,
      stderr: `deadheat: procs-1 has no race R9; 'deadheat detect procs-1 --all' shows those that it has\n`,
    });
  });
});

describe('a recording that cannot be replayed', () => {
  it('says why', () => {
    const cwd = scratchFolder();
    deadheat(['record', '-q', '--', 'true'], { cwd });
    const file = join(cwd, '.deadheat/procs-1/program.json');
    const whole = readFileSync(file, 'utf8');
    const damaged = [
      whole.slice(0, 50),
      whole.replace(/"umask": \d+/, '"umask": "none"'),
      whole.replace(/("blockedSignals": )"\d+"/, '$1"some"'),
    ];
    for (const text of damaged) {
      writeFileSync(file, text);
      expect(deadheat(['replay'], { cwd })).toMatchObject({
        status: 2,
        stderr: `deadheat: ${file} is damaged; record the program again\n`,
      });
    }
    rmSync(file);
    expect(deadheat(['replay'], { cwd })).toMatchObject({
      status: 2,
      stderr: 'deadheat: procs-1 does not say how its program was started; record it again\n',
    });
    cpSync(join(cwd, '.deadheat/procs-1'), join(cwd, 'elsewhere'), { recursive: true });
    expect(deadheat(['replay', './elsewhere'], { cwd }).status).toBe(2);
  });
});
