/** Wrong programs, wrong runs, full disks: one line, a remedy, the right exit status, nothing lost. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  deadheat,
  deadheatAsPlainUser,
  type Ended,
  LAUNCHER,
  runToEnd,
} from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

function expectRefusal({ stderr, stdout, status }: Ended, message: RegExp, code: number): void {
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^deadheat: .+; .+\n$/);
  expect(stdout).toBe('');
  expect(status).toBe(code);
}

/** The processes that work in a folder: other tests have theirs elsewhere. */
function processesIn(folder: string): string[] {
  const worksThere = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && worksThere(name));
}

describe('a program that cannot be recorded', () => {
  const record = (cwd: string, ...command: string[]): Ended =>
    deadheat(['record', '--', ...command], { cwd });

  it.each(['record', 'procs'])('%s: does not exist', (command) => {
    const cwd = scratchFolder();
    const ended = deadheat([command, '--', 'no-such-program'], { cwd });
    expectRefusal(ended, /no program named 'no-such-program' on PATH/, 2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is not executable', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'program'), '#!/bin/sh\n', { mode: 0o644 });
    expectRefusal(record(cwd, './program'), /not executable; chmod \+x '.\/program'/, 2);
  });

  it('is not an ELF file', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'program'), 'just text\n', { mode: 0o755 });
    expectRefusal(record(cwd, './program'), /neither an ELF program nor a script/, 2);
  });

  it('is a directory', () => {
    expectRefusal(record(scratchFolder(), '/tmp'), /it is a directory/, 2);
  });

  it('is recorded by a deadheat that is itself traced', () => {
    const args = ['-f', '-o', '/dev/null', LAUNCHER, 'record', '--', 'true'];
    const ended = runToEnd('strace', args, { cwd: scratchFolder() });
    expectRefusal(ended, /traced by strace \(pid \d+\)/, 69);
  });
});

describe('a run that cannot be read', () => {
  /** A folder with one good run in it. */
  function withRun(script = 'echo x > f & wait; cat f'): { cwd: string; trace: string } {
    const cwd = scratchFolder();
    expect(deadheat(['record', '-q', '--', 'sh', '-c', script], { cwd }).status).toBe(0);
    return { cwd, trace: join(cwd, '.deadheat/procs-1/trace.bin') };
  }

  it('does not exist, but another has a similar name', () => {
    const { cwd } = withRun();
    expectRefusal(
      deadheat(['detect', 'prcs-1'], { cwd }),
      /no run prcs-1; the nearest are procs-1/,
      2,
    );
  });

  it('is not a run directory', () => {
    const cwd = scratchFolder();
    expectRefusal(deadheat(['detect', '.'], { cwd }), /is not a run directory/, 2);
  });

  it('may not be read', () => {
    const { cwd } = withRun();
    chmodSync(join(cwd, '.deadheat/procs-1'), 0);
    const without = '--bounding-set=-dac_override,-dac_read_search';
    const ended = runToEnd('setpriv', [without, LAUNCHER, 'detect', 'procs-1'], { cwd });
    expectRefusal(ended, /cannot read .*run\.json.*EACCES.*permissions/, 2);
  });

  it('says nothing that makes sense about itself', () => {
    const { cwd } = withRun();
    writeFileSync(join(cwd, '.deadheat/procs-1/run.json'), '{"schema": 1');
    expectRefusal(deadheat(['detect', 'procs-1'], { cwd }), /run\.json is damaged/, 2);
    expect(deadheat(['ls'], { cwd }).stdout).toMatch(/^procs-1 +broken .*is damaged/);
  });

  it('was written by a newer version', () => {
    const { cwd } = withRun();
    const file = join(cwd, '.deadheat/procs-1/run.json');
    const info = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...info, schema: 99 }));
    expectRefusal(deadheat(['detect'], { cwd }), /no run latest|newer deadheat/, 2);
    expectRefusal(deadheat(['detect', 'procs-1'], { cwd }), /written by a newer deadheat/, 2);
  });

  it('is truncated: refused with the place, read up to it with --salvage', () => {
    const { cwd, trace } = withRun('echo x > f & echo y > f; wait');
    const { size } = statSync(trace);
    const whole = deadheat(['detect'], { cwd });
    expect(whole.status).toBe(66);
    truncateSync(trace, size - 5);
    expectRefusal(
      deadheat(['detect'], { cwd }),
      /trace\.bin: chunk \d+ at byte \d+: .*--salvage/,
      2,
    );
    const salvaged = deadheat(['detect', '--salvage'], { cwd });
    expect(salvaged.stderr).toBe('');
    const warning = /warning: the recording could be read only up to chunk.*\n/;
    expect(salvaged.stdout).toMatch(warning);
    // All but the last mark is there, and then nothing but what comes before the calls.
    expect(salvaged.stdout).toContain(/^R1 \[.*\n.*\n/m.exec(whole.stdout)![0]);
    expect(salvaged.status).toBe(66);
    truncateSync(trace, Math.floor(size / 2));
    const half = deadheat(['detect', '--salvage'], { cwd });
    expect(half.stdout).toMatch(warning);
    expect(half.stdout).toMatch(/^deadheat: reported 0 races$/m);
    expect(half.status).toBe(0);
  });

  it('has no report yet', () => {
    const { cwd } = withRun();
    expectRefusal(deadheat(['report'], { cwd }), /procs-1 has no report yet; make it with/, 2);
  });
});

describe('a place that cannot be written', () => {
  it('-o names a directory with something in it, which stays as it is', () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, 'mine'));
    writeFileSync(join(cwd, 'mine/thesis.txt'), 'do not touch');
    const ended = deadheat(['record', '-o', 'mine', '--', 'true'], { cwd });
    expectRefusal(ended, /mine is not empty/, 2);
    expect(readdirSync(join(cwd, 'mine'))).toEqual(['thesis.txt']);
  });

  it('the current folder, for a plain user', () => {
    const ended = deadheatAsPlainUser(['record', '--', 'true'], { cwd: '/proc' });
    expectRefusal(ended, /cannot create \/proc\/\.deadheat.*-o DIR/, 69);
  });

  it('--json names a file in a folder that is not there', () => {
    const cwd = scratchFolder();
    expectRefusal(
      deadheat(['procs', '-q', '--json', 'no/such/file', '--', 'true'], { cwd }),
      /cannot write 'no\/such\/file' \(ENOENT\)/,
      2,
    );
  });

  it('a disk that fills up while recording: the program runs on, the rest is kept', () => {
    const cwd = scratchFolder();
    // A private mount of 48 KB, seen by this command and its children only.
    const script = `
      mount -t tmpfs -o size=48k none "$0" && cd "$0" || exit 99
      "$1" record -- sh -c 'i=0; while [ $i -lt 3000 ]; do echo > /dev/null < "/tmp/nothing-$i$i$i$i" ; i=$((i+1)); done 2>/dev/null; echo finished' > /tmp/deadheat-out-$$
      status=$?
      cat /tmp/deadheat-out-$$; rm /tmp/deadheat-out-$$
      "$1" detect --salvage
      exit $status`;
    const ended = runToEnd('unshare', ['-m', 'sh', '-c', script, cwd, LAUNCHER], { cwd });
    expect(ended.stderr).toMatch(/no space|disk is full|ENOSPC/i);
    expect(ended.stdout).toMatch(/^finished\n/);
    expect(ended.stdout).toMatch(/only up to chunk/);
    expect(ended.status).toBe(69);
  });
});

describe('/dev/full as the output', () => {
  it('is an error, not a success', () => {
    const cwd = scratchFolder();
    const { status } = spawnSync('sh', ['-c', '"$0" ls --json /dev/full', LAUNCHER], { cwd });
    expect(status).toBe(69);
  });
});

describe('a machine that forbids ptrace', () => {
  it('is told about, and no stopped shell stays behind', () => {
    const cwd = scratchFolder();
    // Allowed to trace nobody: neither root nor a capability, and yama or not, not even its child.
    const script = `
      import ctypes, struct, os, sys
      libc = ctypes.CDLL(None)
      code = [(0x20,0,0,0),(0x15,0,1,101),(0x06,0,0,0x50001),(0x06,0,0,0x7fff0000)]
      prog = b''.join(struct.pack('HBBI', *one) for one in code)
      buf = ctypes.create_string_buffer(prog)
      class Fprog(ctypes.Structure): _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
      libc.prctl(38, 1, 0, 0, 0)
      libc.prctl(22, 2, ctypes.byref(Fprog(4, ctypes.addressof(buf))))
      os.execv(sys.argv[1], sys.argv[1:])`.replace(/^ {6}/gm, '');
    const args = ['-c', script, LAUNCHER, 'record', '--recorder', 'ptrace', '--', 'true'];
    const ended = runToEnd('python3', args, { cwd });
    expectRefusal(ended, /cannot trace programs here: ptrace\(PTRACE_SEIZE.*EPERM.*doctor/, 69);
    expect(processesIn(cwd)).toEqual([]);
  });
});

describe('output that nobody takes', () => {
  it('does not change the exit status', () => {
    const cwd = scratchFolder();
    const script = '"$0" record -- sh -c "exit 7" 2>&1 >/dev/null | true; echo $PIPESTATUS';
    expect(runToEnd('bash', ['-c', script, LAUNCHER], { cwd }).stdout).toBe('7\n');
  });

  it('is an error if the disk is full', () => {
    const { status, stderr } = runToEnd('sh', ['-c', '"$0" --help >/dev/full', LAUNCHER], {
      cwd: scratchFolder(),
    });
    expect(stderr).toMatch(/cannot write to stdout \(ENOSPC\)/);
    expect(status).toBe(69);
  });

  it('two documents on one stdout are refused before anything runs', () => {
    const cwd = scratchFolder();
    const args = ['procs', '--json', '-', '--sarif', '-', '--', 'touch', 'ran'];
    expectRefusal(deadheat(args, { cwd }), /cannot both go to stdout/, 2);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
