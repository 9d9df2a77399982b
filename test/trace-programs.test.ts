/** `deadheat trace -- CMD`: what becomes of programs of all kinds, and what is said of those that cannot be traced. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deadheat,
  type Ended,
  LAUNCHER,
  PROJECT,
  runToEnd,
  startDeadheat,
} from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const SOURCE = join(PROJECT, 'test/traced-programs/counter.c');

/** Programs, and clones of them, for all tests. */
let built = '';
let env: Record<string, string> = {};
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  env = { XDG_CACHE_HOME: join(built, 'cache') };
  compile('counter', '-g');
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

function compile(name: string, ...flags: string[]): string {
  const path = join(built, name);
  execFileSync('cc', ['-O1', '-Wall', '-pthread', ...flags, '-o', path, SOURCE]);
  return path;
}

const trace = (cwd: string, ...words: string[]): Ended =>
  deadheat(['trace', ...words], { cwd, env });
const counter = (): string => join(built, 'counter');

/** The events of the latest run, a line each: thread, event, what, where. */
function printed(cwd: string): string[] {
  const { stdout } = deadheat(['trace', 'latest', '--print'], { cwd });
  return stdout.split('\n').map((line) => line.replace(/^ *\d+ +/, '').replace(/ {2,}/g, ' '));
}

function expectRefusal(ended: Ended, message: RegExp, status = 2): void {
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).toMatch(/^deadheat: .+; .+\n$/);
  expect(ended.stdout).toBe('');
  expect(ended.status).toBe(status);
}

describe('a traced program', () => {
  it('does what it does, and leaves a run', () => {
    const cwd = scratchFolder();
    const { stdout, stderr, status } = trace(cwd, '--', counter(), 'read');
    expect(stdout).toBe('counted\n');
    expect(status).toBe(5);
    expect(stderr).toMatch(/^deadheat: (\d+) of \1 functions traced$/m);
    expect(stderr).toMatch(/^deadheat: \d+ events of 3 threads are in threads-1$/m);
    expect(readdirSync(join(cwd, '.deadheat/threads-1')).sort()).toEqual(['run.json', 'trace.bin']);
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/threads-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ engine: 'threads', state: 'complete', exit: { code: 5 } });
    expect(printed(cwd)).toContainEqual(
      expect.stringMatching(/^counter#1 write counter .*counter\.c:\d+ in count$/),
    );
  });

  it('reads its own input', () => {
    const around = { cwd: scratchFolder(), env, input: 'one\ntwo\n' };
    const { stdout } = deadheat(
      ['trace', '-q', '--', 'bash', '-c', 'read a; read b; echo $b $a'],
      around,
    );
    expect(stdout).toBe('two one\n');
  });

  it.each([
    ['is stripped', ['-s'], /^counter#1 write 4 bytes at 0x[0-9a-f]+ is-stripped\+0x[0-9a-f]+$/],
    ['has no build-id', ['-g', '-Wl,--build-id=none'], /^counter#1 write counter .*in count$/],
    ['has a fixed address', ['-g', '-no-pie'], /^counter#1 write counter .*in count$/],
  ])('%s', (name, flags, event) => {
    const cwd = scratchFolder();
    const file = name.replaceAll(' ', '-');
    const { status } = trace(cwd, '--', compile(file, ...flags));
    expect(status).toBe(5);
    const events = printed(cwd).map((line) => line.replace(/^\S+#/, 'counter#'));
    expect(events).toContainEqual(expect.stringMatching(event));
  });

  it('crashes: so do we, and what it did until then is there', () => {
    const cwd = scratchFolder();
    const { signal, stdout } = trace(cwd, '--', counter(), 'crash');
    expect([signal, stdout]).toEqual(['SIGSEGV', 'counted\n']);
    const events = printed(cwd);
    expect(events).toContainEqual(expect.stringMatching(/^counter#1 write counter /));
    expect(events).toContainEqual(expect.stringMatching(/^counter#0 join counter#2/));
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/threads-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ state: 'complete', exit: { signal: 'SIGSEGV' } });
  });

  it.each(['deadlock', 'wait'])('never ends: %s', (how) => {
    const cwd = scratchFolder();
    const { status, stderr } = trace(cwd, '--timeout', '2s', '--', counter(), how);
    expect(stderr).toMatch(
      /warning: the program did not end within 2 s, and was ended; .* threads-1/,
    );
    expect(status).toBe(0);
    expect(printed(cwd)).toContainEqual(expect.stringMatching(/^counter#2 write counter /));
  });

  it('does not heed Ctrl-C: it is killed, and what it did until then is there', () => {
    const cwd = scratchFolder();
    const { stderr } = trace(cwd, '--timeout', '1s', '--', counter(), 'deaf');
    expect(stderr).toMatch(/did not end within 1 s/);
    expect(printed(cwd)).toContainEqual(expect.stringMatching(/^counter#2 write counter /));
  });

  it('is interrupted: the program is, and what it did until then is there', async () => {
    const cwd = scratchFolder();
    const child = startDeadheat(['trace', '--', counter(), 'wait'], {
      cwd,
      env: { ...process.env, ...env } as Record<string, string>,
    });
    let stderr = '';
    child.stderr?.on('data', (data) => {
      stderr += data;
    });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    child.kill('SIGINT');
    expect(await ended).toBe('SIGINT');
    expect(stderr).toMatch(/interrupted by SIGINT: .* kept in threads-1/);
    expect(printed(cwd)).toContainEqual(expect.stringMatching(/^counter#2 write counter /));
    const info = JSON.parse(readFileSync(join(cwd, '.deadheat/threads-1/run.json'), 'utf8'));
    expect(info).toMatchObject({ state: 'interrupted', reason: 'ended by SIGINT' });
  });

  it('goes on if deadheat is killed', async () => {
    const cwd = scratchFolder();
    const child = startDeadheat(['trace', '--', counter(), 'outlive'], {
      cwd,
      env: { ...process.env, ...env } as Record<string, string>,
    });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    writeFileSync(join(cwd, 'deadheat-is-gone'), '');
    const left = join(cwd, 'outlived');
    for (;;) {
      if (readdirSync(cwd).includes('outlived')) break;
      await sleep(20);
    }
    expect(readFileSync(left, 'utf8')).toBe('still here\n');
  });
});

describe('what a traced program inherits', () => {
  /** The same command line in the same surroundings, with and without us. */
  function compare(before: string, script: string): string {
    const cwd = scratchFolder();
    const native = runToEnd('bash', ['-c', `${before} sh -c '${script}'`], { cwd, env });
    const traced = `"${LAUNCHER}" trace -q -- sh -c '${script}'`;
    expect(runToEnd('bash', ['-c', `${before} ${traced}`], { cwd, env })).toEqual(native);
    return native.stdout;
  }

  it('open files, and only those', () => {
    const script = 'ls /proc/self/fd; head -c 4 <&5';
    expect(compare('exec 5</etc/passwd 9>/dev/null 270</etc/passwd;', script)).toMatch(
      /270[\s\S]*root$/,
    );
  });

  it.each(['<&-', '>&-', '<&- >&-'])('closed ones: %s', (closed) => {
    const script =
      'n=0; for fd in 0 1 2; do n=$((n * 2)); [ -e /proc/$$/fd/$fd ] || n=$((n + 1)); done; exit $n';
    compare(`exec ${closed};`, script);
  });

  it('ignored and blocked signals', () => {
    const script = 'grep Sig /proc/self/status | grep -v SigQ; kill -HUP $$; echo alive';
    expect(compare("trap '' HUP USR2 PIPE;", script)).toMatch(
      /SigIgn:\t0000000000001801[\s\S]*alive/,
    );
    expect(compare('', 'grep SigIgn /proc/self/status')).toMatch(/SigIgn:\t0000000000000000/);
  });

  it('the limit of open files', () => {
    expect(compare('ulimit -Sn 300;', 'ulimit -Sn; ulimit -Hn')).toMatch(/^300\n/);
    compare('exec 270</etc/passwd; ulimit -Sn 256;', 'ls /proc/self/fd; ulimit -Sn');
  });

  it('the environment, but for what loads the agent', () => {
    const variables = ['a.b=c', 'BASH_FUNC_f%%=() { :; }', 'EMPTY=', `PATH=${process.env.PATH}`];
    const clean = (...command: string[]) =>
      runToEnd('env', ['-i', ...variables, ...command], { cwd: scratchFolder() }).stdout;
    const cache = `XDG_CACHE_HOME=${env.XDG_CACHE_HOME}`;
    const traced = clean(cache, LAUNCHER, 'trace', '-q', '--', 'cat', '/proc/self/environ');
    const added = traced.split('\0').slice(variables.length + 1);
    expect(traced.split('\0').slice(0, variables.length)).toEqual(variables);
    expect(added.map((entry) => entry.replace(/=.*/, ''))).toEqual([
      ...['LD_PRELOAD', 'DEADHEAT_CHANNEL', ''],
    ]);
  });
});

describe('what else is traced', () => {
  it('a script: its interpreter, and what it starts if --also says so', () => {
    const cwd = scratchFolder();
    const script = join(cwd, 'script');
    writeFileSync(script, `#!/bin/sh\n"${counter()}"\n`, { mode: 0o755 });
    const alone = trace(cwd, '--', './script');
    expect(alone.stderr).toMatch(/script is a script; traced is what runs it, .*sh$/m);
    expect(alone.stderr).toMatch(/not traced: .*counter; --also would trace them, too/);
    const both = trace(cwd, '--also', counter(), '--', './script');
    expect(both.stderr).toMatch(/^deadheat: (\d+) of \1 functions traced in counter$/m);
    expect(both.stderr).not.toMatch(/not traced/);
    expect([alone.status, both.status]).toEqual([5, 5]);
    expect(printed(cwd)).toContainEqual(expect.stringMatching(/^counter#\d write counter /));
  });

  it('what env starts, through #!', () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, 'script'), '#!/usr/bin/env bash\nexit 7\n', { mode: 0o755 });
    const { stderr, status } = trace(cwd, '--', './script');
    expect(stderr).toMatch(/traced is what runs it, .*bash$/m);
    expect(status).toBe(7);
  });

  it.each(['its path', 'its name', 'its name without a version', 'later'])(
    'a library: %s',
    (how) => {
      const cwd = scratchFolder();
      const library = join(cwd, 'libshared.so.1');
      const sources = join(PROJECT, 'test/traced-programs');
      execFileSync('cc', [
        '-g',
        '-O1',
        '-shared',
        '-fPIC',
        '-Wl,-soname,libshared.so.1',
        '-o',
        library,
        join(sources, 'library.c'),
      ]);
      const link = how === 'later' ? ['-DLATER'] : [library, `-Wl,-rpath,${cwd}`];
      execFileSync('cc', [
        '-g',
        '-O1',
        '-pthread',
        '-o',
        join(cwd, 'user'),
        join(sources, 'library-user.c'),
        ...link,
      ]);
      const named: Record<string, string> = {
        'its name': 'libshared.so.1',
        'its name without a version': 'libshared.so',
      };
      const ended = trace(cwd, '--also', named[how] ?? library, '--', './user', library);
      expect(ended.stderr).toMatch(/^deadheat: 1 of 1 function traced in libshared.so.1$/m);
      expect(ended.status).toBe(0);
      expect(printed(cwd)).toContainEqual(
        expect.stringMatching(/^user#1 write in_library .*library\.c:\d+ in count_in_library$/),
      );
    },
  );

  it.each([
    ['libno-such.so', /neither a library that .* is linked with nor a program; give its path/],
    ['libc.so', /the agent stands on this library itself/],
    ['./nothing.so', /no such file/],
    ['/etc/passwd', /it is not an ELF file/],
  ])('not --also %s', (name, message) => {
    const cwd = scratchFolder();
    expectRefusal(trace(cwd, '--also', name, '--', counter()), message);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('says so if a library is not loaded', () => {
    const ended = trace(scratchFolder(), '--also', counter(), '--', 'bash', '-c', 'exit 3');
    expect(ended.stderr).toMatch(/warning: .*counter was not loaded by any process/);
    expect(ended.status).toBe(3);
  });
});

describe('a program that cannot be traced', () => {
  /** A copy of the program with other bytes in it. */
  function changed(cwd: string, change: (bytes: Buffer) => void): string {
    const bytes = readFileSync(counter());
    change(bytes);
    const path = join(cwd, 'changed');
    writeFileSync(path, bytes, { mode: 0o755 });
    return path;
  }

  it.each([[['-static']], [['-static-pie']]])('static: %s', (flags) => {
    const cwd = scratchFolder();
    const program = compile('static', ...flags);
    expectRefusal(
      trace(cwd, '--', program),
      /linked statically, so that nothing can be loaded into it; link it dynamically/,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each<[string, (bytes: Buffer) => void, RegExp]>([
    ['32 bits', (bytes) => bytes.writeUInt8(1, 4), /not a 64-bit x86 program/],
    ['another machine', (bytes) => bytes.writeUInt16LE(183, 18), /not a 64-bit x86 program/],
    ['no ELF file', (bytes) => bytes.write('nothing', 0), /neither an ELF program nor a script/],
    [
      'another loader',
      (bytes) => bytes.write('/lib/ld-musl-x86_64.so.1\0', bytes.indexOf('/lib64/ld-linux')),
      /another C library \(its loader is ld-musl-x86_64.so.1\)/,
    ],
    [
      'headers that lead nowhere',
      (bytes) => bytes.writeBigUInt64LE(1n << 40n, 32),
      /cannot trace '.*changed': it is cut short/,
    ],
    ['damaged unwind tables', damageUnwindTables, /cannot trace '.*changed': /],
  ])('%s', (_, change, message) => {
    const cwd = scratchFolder();
    expectRefusal(trace(cwd, '--', changed(cwd, change)), message);
    expect(readdirSync(cwd)).toEqual(['changed']);
  });

  it('cut short', () => {
    const cwd = scratchFolder();
    const program = changed(cwd, () => {});
    truncateSync(program, 5000);
    expectRefusal(trace(cwd, '--', program), /it is cut short/);
  });

  it('set-user-ID', () => {
    const cwd = scratchFolder();
    const program = changed(cwd, () => {});
    chownSync(program, 65534, 65534);
    chmodSync(program, 0o4755);
    expectRefusal(
      trace(cwd, '--', program),
      /set-user-ID, and for such programs LD_PRELOAD is ignored/,
    );
  });

  it('its own code for exceptions: it runs, and that nothing is traced is said', () => {
    const cwd = scratchFolder();
    const source = 'int main() { try { throw 3; } catch (int i) { return i; } }';
    writeFileSync(join(cwd, 'own.cc'), source);
    execFileSync('c++', ['-static-libgcc', '-static-libstdc++', '-o', 'own', 'own.cc'], { cwd });
    const { stderr, status } = trace(cwd, '--', './own');
    expect(stderr).toMatch(
      /warning: 0 of (\d+) functions traced; \1 skipped: the image has its own code for exceptions/,
    );
    expect(status).toBe(3);
  });
});

/** What is in the cache of clones. */
const kept = (): string[] => readdirSync(join(built, 'cache/deadheat/blobs')).sort();

describe('clones that were made before', () => {
  it('are used again, and made anew if they are damaged', () => {
    const cwd = scratchFolder();
    trace(cwd, '-q', '--', counter(), 'again');
    const before = kept();
    trace(cwd, '-q', '--', counter());
    expect(kept()).toEqual(before);
    for (const name of before) {
      const path = join(built, 'cache/deadheat/blobs', name);
      const bytes = readFileSync(path);
      bytes.fill(0x90, bytes.length >> 1);
      writeFileSync(path, bytes);
    }
    expect(trace(cwd, '-q', '--', counter()).status).toBe(5);
    expect(printed(cwd)).toContainEqual(expect.stringMatching(/^counter#1 write counter /));
  });

  it('are not needed: a cache that cannot be written is no error', () => {
    const cwd = scratchFolder();
    const nowhere = { cwd, env: { XDG_CACHE_HOME: '/dev/null' } };
    const { status, stderr } = deadheat(['trace', '-q', '--', counter()], nowhere);
    expect([status, stderr]).toEqual([5, '']);
  });

  it('of a program that was stripped meanwhile are others', () => {
    const cwd = scratchFolder();
    const program = compile('to-be-stripped', '-g');
    trace(cwd, '-q', '--', program);
    execFileSync('strip', [program]);
    trace(cwd, '-q', '--', program);
    expect(printed(cwd).join('\n')).toMatch(/to-be-stripped\+0x/);
  });
});

describe('a disk that is full', () => {
  function onSmallDisk(size: string, script: string): Ended {
    const cwd = scratchFolder();
    const mounted = `mount -t tmpfs -o size=${size} none "$0" && cd "$0" || exit 99\n${script}`;
    return runToEnd('unshare', ['-m', 'sh', '-c', mounted, cwd, LAUNCHER, counter()], { cwd, env });
  }

  it('from the beginning', () => {
    expectRefusal(onSmallDisk('64k', '"$1" trace -- "$2"'), /cannot prepare .*ENOSPC/, 69);
  });

  it('in the midst of it: the program runs on, and what was logged is there', () => {
    const { stdout, stderr, status } = onSmallDisk(
      '22m',
      '"$1" trace -- "$2" much; s=$?; "$1" trace latest --stats; exit $s',
    );
    expect(stdout).toMatch(/^counted\n/);
    expect(stdout).toMatch(/^ {2}counter#1 +[1-9]/m);
    expect(stderr).toMatch(
      /the trace in threads-1 ends before the program did: the disk was full; free some space/,
    );
    expect(status).toBe(69);
  });
});

function damageUnwindTables(bytes: Buffer): void {
  const headers = execFileSync('readelf', ['-SW', counter()], { encoding: 'utf8' });
  const [, offset = '', size = ''] = /\.eh_frame +PROGBITS +\S+ (\S+) (\S+)/.exec(headers) ?? [];
  bytes.fill(
    0x41,
    Number.parseInt(offset, 16),
    Number.parseInt(offset, 16) + Number.parseInt(size, 16),
  );
}
