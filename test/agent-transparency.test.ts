/** Programs under the agent do what they do without it, also where it gets tight. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentOption, LogKind, LogOp } from '../src/linux/agent-protocol.ts';
import {
  type AgentRun,
  agentRun,
  compiled,
  type RunOptions,
  readLog,
} from './harness/agent-run.ts';
import { scratchFolder } from './harness/scratch.ts';

const ALL =
  AgentOption.DH_OPTION_LOG | AgentOption.DH_OPTION_SYNC_ONLY | AgentOption.DH_OPTION_RANGES;

type Outcome = Pick<AgentRun, 'stdout' | 'stderr' | 'status' | 'signal'>;

function visible({ stdout, stderr, status, signal }: Outcome): Outcome {
  const withoutAddresses = (text: string) => text.replace(/0x[0-9a-f]+/g, 'ADDRESS');
  return {
    ...{ stdout: withoutAddresses(stdout), stderr: withoutAddresses(stderr) },
    ...{ status, signal },
  };
}

/** The same natively and under the agent: output, status, signal. */
function expectSame(program: string, args: string[] = [], given: RunOptions = {}) {
  const env = { ...process.env, ...given.env };
  const { input } = given;
  const options = { encoding: 'utf8', env, maxBuffer: 1 << 28, input } as const;
  const native = spawnSync(program, args, options);
  const run = agentRun(program, args, { options: ALL, ...given });
  // All of it at once: a program that was ended by a signal has perhaps said nothing.
  expect(visible(run)).toEqual(visible(native));
  return run;
}

describe('a program under the agent', () => {
  it('has its signals, whatever they interrupt', () => {
    const run = expectSame(compiled('signals.c', 'cc', '-fno-builtin'));
    expect(run.stdout).toContain('20000 handled, 20000 values');
    expect(run.threads('2').at(-1)).toBe('end');
  });

  it('has a signal at any instruction of the handler of another', () => {
    expectSame(compiled('signals-stepped.c'));
  });

  it('forks in every way, and each child has a log of its own', () => {
    const run = expectSame(compiled('forks.c'));
    const hellos = run.records.filter((record) => record.kind === 'hello');
    const forked = hellos.filter((hello) => hello.parentProcess === 1);
    expect(forked).toHaveLength(12);
    const lock = ['acquire mutex', 'release mutex'];
    forked.forEach(({ process }, index) => {
      const childOwn = index < 10 ? ['fork 2', 'join 2'] : [];
      expect(run.threads(`${process}-1`)).toEqual(['process-fork 1', ...childOwn, ...lock]);
      if (index < 10) expect(run.threads(`${process}-2`)).toEqual(['begin', 'end']);
    });
    expect(run.threads('1').slice(-5)).toEqual(['join 2', 'join 3', 'join 4', ...lock]);
    for (const thread of ['2', '3', '4']) {
      const ops = run.threads(thread);
      expect(ops.filter((op) => op === 'acquire other')).toHaveLength((ops.length - 2) / 2);
    }
  });

  it('has hundreds of threads, twice', () => {
    const run = expectSame(compiled('many.c'));
    expect(run.names).toHaveLength(1001);
    expect(run.threads('777').filter((op) => op === 'acquire')).toHaveLength(100);
  });

  it('takes its place in one order with all other threads', () => {
    const run = agentRun(compiled('many.c'));
    const seqs: number[] = [];
    for (const name of run.names) {
      const log = readLog(run.folder, name);
      let before = 0;
      while (log.next()) {
        if (log.kind !== LogKind.DH_LOG_SYNC && log.op !== LogOp.DH_OP_FREE) continue;
        if (log.seq <= before) throw new Error(`${name}: ${log.seq} after ${before}`);
        before = log.seq;
        seqs.push(log.seq);
      }
    }
    seqs.sort((a, b) => a - b);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('executes other programs', () => {
    const run = expectSame(compiled('exec.c', 'cc'));
    expect(run.status).toBe(9);
    const paths = run.records.filter((record) => record.kind === 'hello');
    expect(paths.map(({ pid }) => pid)).toEqual(new Array(10).fill(paths[0]?.pid));
    for (const { process } of paths.slice(0, 9)) {
      expect(run.threads(`${process}-1`).slice(0, 3)).toEqual([
        ...['begin', 'acquire mutex', 'release mutex'],
      ]);
    }
  });

  it.each(['exit', '_exit', 'quick_exit', 'abort', 'kill', 'segfault', 'term', 'x: exit_group'])(
    'leaves its logs behind when it ends by %s',
    (how) => {
      const run = expectSame(compiled('endings.c', 'cc', '-Wno-implicit-fallthrough'), [how]);
      expect(run.threads('1').at(-1)).toBe('acquire mutex');
      expect(run.threads('2').slice(0, 2)).toEqual(['begin', 'acquire other']);
    },
  );

  it('uses C++ with its guards, exceptions and threads', () => {
    const run = expectSame(compiled('guards.cpp', 'c++'));
    const names = run.threads('1');
    expect(names.filter((name) => name.startsWith('fork'))).toHaveLength(4);
  });

  it('copies and compares memory and strings', () => {
    const program = compiled('ranges.c', 'cc', '-fno-builtin');
    const run = expectSame(program);
    const overflow = expectSame(program, [], { env: { OVERFLOW: '1' } });
    expect(overflow.signal).toBe('SIGABRT');
    expect(ranges(run.folder, run.stdout)).toEqual([
      ...[
        'write text+0 9',
        'read text+0 4',
        'write text+1 4',
        'write other+0 4',
        'write other+8 5',
      ],
      ...['read text+0 1', 'read other+0 1', 'read text+0 4'],
      ...['read text+0 3', 'read text+0 8', 'read text+1 7', 'read text+0 5', 'read text+0 5'],
      ...['read text+0 9', 'read text+0 3'],
      ...['read text+0 9', 'write third+0 9', 'write third+0 6', 'write third+8 5'],
      ...['read third+0 6', 'write third+5 5', 'read third+0 10', 'write third+9 2'],
      ...['read third+0 6', 'read third+0 3', 'read third+0 11', 'read third+0 4'],
      ...['read third+0 3', 'read third+0 11', 'read third+0 11', 'read third+0 11'],
      ...['read third+0 11', 'read third+0 11', 'read third+0 5', 'read third+0 11'],
      ...[
        'read third+0 3',
        'read third+0 5',
        'read third+0 3',
        'read third+0 11',
        'read third+0 3',
      ],
      ...['write text+0 3', 'write text+2 2', 'read text+0 5', 'write other+0 5'],
      ...[
        'read other+0 5',
        'write other+4 3',
        'read other+0 7',
        'write other+6 3',
        'write text+0 4',
      ],
    ]);
  });

  it('loads libraries by its own search path', () => {
    const folder = scratchFolder();
    const build = (args: string[], input: string) =>
      execFileSync('cc', ['-x', 'c', '-', ...args], { input, cwd: folder });
    mkdirSync(join(folder, 'plugins'));
    build(['-shared', '-fPIC', '-o', 'plugins/libplug.so'], 'int plug(void) { return 8; }');
    const main = `
      #include <dlfcn.h>
      int main(void) {
        void *library = dlopen("libplug.so", RTLD_NOW);
        if (library == 0) return 1;
        if (dlerror() != 0) return 2;
        int (*plug)(void) = (int (*)(void))dlsym(library, "plug");
        return plug == 0 ? 3 : plug();
      }`;
    build(['-o', 'main', '-Wl,-rpath,$ORIGIN/plugins,--enable-new-dtags'], main);
    expect(expectSame(join(folder, 'main')).status).toBe(8);
  });
});

describe('when there is no room for logs', () => {
  const program = () => compiled('filling.c');
  const stopped = { kind: 'problem', what: 'DH_PROBLEM_LOG_STOPPED', process: 1 };

  it('a limit for files stops the logs, not the program', () => {
    const run = agentRun('/bin/sh', ['-c', `ulimit -f 100; exec ${program()}`]);
    expect([run.stdout, run.status]).toEqual(['400000\n', 5]);
    expect(run.records).toContainEqual(
      expect.objectContaining({ ...stopped, process: 2, errno: 27 }),
    );
  });

  it('neither does a full disk', (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can mount a small file system');
    const folder = scratchFolder();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', folder]);
    if (mounted.status !== 0) context.skip('cannot mount a tmpfs');
    onTestFinished(() => void spawnSync('umount', ['-l', folder]));
    const run = agentRun(program(), [], { folder });
    expect([run.stdout, run.status]).toEqual(['400000\n', 5]);
    const problem = run.records.find((record) => record.kind === 'problem');
    expect(problem).toMatchObject({ ...stopped, errno: 28 });
    // What is there is whole, and the problem says up to where it is all there is.
    const seqs = new Set<number>();
    for (const name of run.names) {
      const log = readLog(run.folder, name);
      while (log.next()) if (log.kind === LogKind.DH_LOG_SYNC) seqs.add(log.seq);
      expect(log.damage).toBeUndefined();
    }
    const complete = problem?.kind === 'problem' ? problem.seq : 0;
    expect(complete).toBeGreaterThan(10_000);
    const missing = Array.from({ length: complete - 1 }, (_, i) => i + 1).filter(
      (seq) => !seqs.has(seq),
    );
    // Operations that had their number, but not their record yet, when the disk was full.
    expect(missing.length).toBeLessThan(10);
  });
});

describe('programs of everyday', () => {
  const there = (path: string) => existsSync(path);

  it('bash', () => {
    expectSame('/bin/bash', [
      '-c',
      'for i in {1..20}; do (echo $i); done | sort -n | wc -l; exit 3',
    ]);
    expectSame('/bin/bash', ['-c', 'trap "echo got it" USR1; kill -USR1 $$; wait; echo over']);
  });

  it.skipIf(!there('/usr/bin/git'))('git', () => {
    const repository = new URL('..', import.meta.url).pathname;
    expectSame('/usr/bin/git', ['-C', repository, 'log', '--oneline', '-20', '--stat']);
    expectSame('/usr/bin/git', ['-C', repository, 'grep', '-c', 'pthread']);
  });

  it.skipIf(!there('/usr/bin/sqlite3'))('sqlite3', () => {
    const input =
      'create table t(a, b); with recursive n(x) as (select 1 union all select x + 1 from n where ' +
      'x < 5000) insert into t select x, hex(x) from n; create index i on t(b); ' +
      'select count(*), sum(a), max(b) from t; .quit\n';
    expectSame('/usr/bin/sqlite3', [':memory:'], { input });
  });

  it.skipIf(!there('/usr/bin/gdb'))('gdb', () => {
    expectSame('/usr/bin/gdb', ['--version']);
    expectSame('/usr/bin/gdb', [
      '-batch',
      '-nx',
      '-ex',
      'print 6 * 7',
      '-ex',
      'info functions main$',
      '/bin/true',
    ]);
  });

  it.skipIf(!there('/usr/bin/redis-server'))('redis-server', () => {
    const folder = scratchFolder();
    const socket = join(folder, 'socket');
    const script = `
      redis-server --port 0 --unixsocket ${socket} --save '' --appendonly yes --dir ${folder} \\
        --io-threads 2 --daemonize no >${folder}/out 2>&1 & server=$!
      for i in $(seq 1000); do redis-cli -s ${socket} ping >/dev/null 2>&1 && break; sleep 0.05; done
      for i in $(seq 20); do redis-cli -s ${socket} incr counter; done
      redis-cli -s ${socket} eval 'for i = 1, 1000 do redis.call("lpush", "l", i) end return redis.call("llen", "l")' 0
      redis-cli -s ${socket} shutdown nosave
      wait $server; echo status $?; rm -rf ${folder}/append*`;
    writeFileSync(join(folder, 'script'), script);
    const run = expectSame('/bin/sh', [join(folder, 'script')]);
    expect(run.stdout).toContain('1000\nstatus 0\n');
    expect(readFileSync(join(folder, 'out'), 'utf8')).toContain('bye bye');
    expect(readdirSync(run.folder).length).toBeGreaterThan(5);
  });
});

/** What was logged of ranges within the named arrays, as `read text+1 4`. */
function ranges(folder: string, stdout: string): string[] {
  const arrays = [...stdout.matchAll(/^(\w+) 0x([0-9a-f]+)$/gm)].map(([, name, address]) => ({
    ...{ name, address: Number.parseInt(address as string, 16) },
  }));
  const log = readLog(folder, '1');
  const found: string[] = [];
  while (log.next()) {
    if (log.kind !== LogKind.DH_LOG_RANGE) continue;
    const array = arrays.find(
      ({ address }) => log.address >= address && log.address < address + 64,
    );
    if (array === undefined) continue;
    const way = log.op === 1 ? 'read' : 'write';
    found.push(`${way} ${array.name}+${log.address - array.address} ${log.length}`);
  }
  return found;
}
