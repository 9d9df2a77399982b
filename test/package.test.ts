/**
 * The package, as people get it: packed and installed by the action for GitHub, for a machine that has no
 * compiler, and tried in an empty folder. npm fetches what it needs as it would for them.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Report } from '../src/report/model.ts';
import { type Ended, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { untilCaught } from './harness/until-caught.ts';

/** For all tests of this file: where it is packed and installed, and what it is given to run with. */
const around = mkdtempSync(join(tmpdir(), 'deadheat-package-'));
const [commands, cache] = ['commands', 'cache'].map((name) => {
  const folder = join(around, name);
  mkdirSync(folder);
  return folder;
}) as [string, string];
const prefix = join(around, 'deadheat');
const installed = join(prefix, 'bin', 'deadheat');
const home = join(prefix, 'lib', 'node_modules', 'deadheat');
/** Of which the agents' sources, the examples and the documents are a third. */
const MOST_BYTES = 3e6;

/** The part of action.yml that we look at. */
interface Action {
  runs: { steps: { id?: string; run?: string }[] };
}
const { runs } = parse(readFileSync(join(PROJECT, 'action.yml'), 'utf8')) as Action;

/** Runs a step of the action as GitHub would; what it tells GitHub is in files. */
function step(id: string, cwd: string, env: Record<string, string> = {}): Ended & { told: string } {
  const script = runs.steps.find((one) => one.id === id)?.run ?? '';
  const told = join(around, 'told');
  writeFileSync(told, '');
  const given = { GITHUB_ACTION_PATH: PROJECT, RUNNER_TEMP: around, GITHUB_PATH: told };
  const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  const ended = runToEnd('bash', options, {
    cwd,
    env: { ...given, GITHUB_OUTPUT: told, ...env },
  });
  return { ...ended, told: readFileSync(told, 'utf8') };
}

/** What compiles, assembles or links, by whatever name: cc, gcc-12, x86_64-linux-gnu-g++, clang, ld.bfd, make. */
const COMPILES =
  /^(.*-)?(cc|gcc|g\+\+|c\+\+|cpp|clang(\+\+)?|tcc|as|ld|make|gmake)([-.].*)?$|^c[89]9/;

/** Every command of this machine but those, and node. */
function linkCommands(): void {
  for (const place of ['/usr/sbin', '/usr/bin']) {
    for (const name of readdirSync(place)) {
      const link = join(commands, name);
      if (!COMPILES.test(name) && !existsSync(link)) symlinkSync(join(place, name), link);
    }
  }
  const node = join(commands, 'node');
  if (!existsSync(node)) symlinkSync(process.execPath, node);
}

afterAll(() => rmSync(around, { recursive: true }));

beforeAll(() => {
  const { told, stderr } = step('install', around);
  expect(told, stderr).toBe(`${join(prefix, 'bin')}\n`);
  linkCommands();
});

const run = (cwd: string, ...args: string[]): Ended =>
  runToEnd(installed, args, { cwd, env: { PATH: commands, XDG_CACHE_HOME: cache, CC: '' } });

/** As somebody else has compiled it, on another machine. */
function compile(example: string, cwd: string): void {
  const source = join(PROJECT, 'examples', example);
  execFileSync('cc', ['-g', '-O1', '-pthread', source, '-o', join(cwd, 'program')]);
}

const reportIn = (cwd: string, name: string): Partial<Report> =>
  JSON.parse(readFileSync(join(cwd, '.deadheat', name, 'report.json'), 'utf8')) as Report;

describe('the package on a machine without a compiler', () => {
  it('has none', () => {
    expect(
      runToEnd('/bin/sh', ['-c', 'command -v cc gcc make'], {
        cwd: cache,
        env: { PATH: commands },
      }),
    ).toMatchObject({ stdout: '' });
  });

  it('says its version and what it can do here', () => {
    const cwd = scratchFolder();
    expect(run(cwd, '--version')).toMatchObject({ status: 0, stderr: '' });
    expect(run(cwd, 'doctor').stdout).toMatch(/agent/);
  });

  it('proves a race between processes', () => {
    const { status, stdout, stderr } = run(scratchFolder(), 'demo');
    expect(stdout + stderr).toMatch(/harmful/);
    expect(status).toBe(0);
  });

  it('finds a race between threads', () => {
    const cwd = scratchFolder();
    compile('threads/listing-1-1/racy.c', cwd);
    const { status, stderr } = run(cwd, 'threads', '-q', '--', './program');
    expect(stderr).not.toMatch(/compile/);
    expect(status).toBe(66);
    expect(run(cwd, 'report', 'latest', '--sarif', 'races.sarif').status).toBe(66);
    expect(existsSync(join(cwd, 'races.sarif'))).toBe(true);
    expect(run(cwd, 'report', 'latest', '--html', 'races.html').status).toBe(66);
    expect(readFileSync(join(cwd, 'races.html'), 'utf8')).toMatch(/<script>/);
  });

  it('watches a program', () => {
    const cwd = scratchFolder();
    compile('watch/rw-race/racy.c', cwd);
    const { status, stderr, report } = untilCaught(cwd, (seconds) =>
      run(cwd, 'watch', '-q', '--json', 'report.json', '--', './program', seconds),
    );
    expect(status, stderr).toBe(66);
    expect(report).toMatchObject({ engine: 'watch', exit: { code: 0 } });
    expect(report.races).not.toEqual([]);
    for (const { verdict, accesses } of report.races) {
      expect(verdict).toBe('confirmed');
      for (const { stack } of accesses) expect(stack).not.toEqual([]);
    }
  });

  it('samples a program, and analyses that', () => {
    const cwd = scratchFolder();
    compile('sample/log-buffer/racy.c', cwd);
    const { status, stderr, report } = untilCaught(cwd, (seconds) => {
      const sampled = run(cwd, 'sample', '--', './program', seconds);
      expect(sampled.stderr).toMatch(/samples of \d+ threads are in sample-\d/);
      expect(sampled.status).toBe(0);
      return run(cwd, 'analyze', '-q', '--json', 'report.json');
    });
    expect(status, stderr).toBe(66);
    expect(report).toMatchObject({ engine: 'sample' });
    expect(new Set(report.races.map(({ verdict }) => verdict))).toEqual(new Set(['predicted']));
  });

  it('tolerates the races of a program', () => {
    const cwd = scratchFolder();
    compile('tolerate/scalar/racy.c', cwd);
    const { status, stdout, stderr } = run(cwd, 'tolerate', '-q', '--', './program', '20000');
    expect(stdout, stderr).toMatch(/^torn 0 of 20000$/m);
    expect(status).toBe(0);
    expect(reportIn(cwd, 'tolerate-1')).toMatchObject({ stats: { sections: 1, isolated: 1 } });
  });

  it('has used the agents that it brought, and made none', () => {
    const made = readdirSync(cache, { recursive: true, encoding: 'utf8' });
    expect(made).not.toContainEqual(expect.stringMatching(/libdeadheat/));
    expect(readdirSync(join(home, 'dist/agent')).sort()).toEqual([
      ...['libdeadheat-sampling.so', 'libdeadheat-tolerate.so', 'libdeadheat-tracer.so'],
      'libdeadheat.so',
    ]);
  });

  it('has a manual page, completion, examples and a header', () => {
    const page = readFileSync(join(prefix, 'share/man/man1/deadheat.1'), 'utf8');
    for (const engine of ['procs', 'threads', 'watch', 'sample', 'tolerate']) {
      expect(page).toContain(`\n.SS ${engine}\n`);
    }
    expect(run(around, 'completion', 'bash')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/deadheat/),
    });
    for (const part of ['examples/procs', 'include/deadheat.h', 'docs/watch.md', 'LICENSE']) {
      expect(existsSync(join(home, part)), part).toBe(true);
    }
  });

  it('is no larger than it has to be', () => {
    const [file = ''] = readdirSync(around).filter((name) => name.endsWith('.tgz'));
    expect(statSync(join(around, file)).size).toBeLessThan(MOST_BYTES);
    const parts = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('node_modules/'),
    );
    expect(parts.filter((name) => /\.(map|test\.\w+)$/.test(name)).sort()).toEqual([
      'agent/exports.map',
      'agent/tolerate/exports.map',
      'agent/tracer/exports.map',
    ]);
  });
});

describe('the action', () => {
  const PATH = `${join(prefix, 'bin')}:${process.env.PATH}`;
  const look = (
    COMMAND: string,
    { cwd = scratchFolder(), ENGINE = 'procs', OPTIONS = '' } = {},
  ): { told: string; sarif: string } => {
    const env = { PATH, ENGINE, OPTIONS, COMMAND, SARIF: 'out.sarif' };
    const { told } = step('run', cwd, env);
    const report = join(cwd, 'out.sarif');
    return { told, sarif: existsSync(report) ? readFileSync(report, 'utf8') : '' };
  };
  const ends = (STATUS: string, FAIL: string): number | null =>
    step('verdict', around, { STATUS, FAIL }).status;

  it('reports the races of a command, with options of its own', () => {
    const racy = '(sleep 0.1; echo a > out) & (sleep 0.2; cat out > copy) & wait';
    const { told, sarif } = look(racy, {
      OPTIONS: '--no-validate --ignore-files "*.log file"',
    });
    expect(told).toBe('status=66\n');
    expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0' });
  });

  it('looks at the threads of the program itself, and at what was sampled of them', () => {
    const cwd = scratchFolder();
    compile('threads/listing-1-1/racy.c', cwd);
    expect(look('./program "an argument"', { cwd, ENGINE: 'threads' })).toMatchObject({
      told: 'status=66\n',
      sarif: expect.stringMatching(/racy\.c/),
    });
    compile('sample/log-buffer/racy.c', cwd);
    const OPTIONS = '--json report.json';
    const { status, report } = untilCaught(cwd, (seconds) => {
      const { told, sarif } = look(`./program ${seconds}`, { cwd, ENGINE: 'sample', OPTIONS });
      expect(sarif).toMatch(/2\.1\.0/);
      return { status: Number(/^status=(\d+)\n$/.exec(told)?.[1]), stderr: '' };
    });
    expect(status).toBe(66);
    expect(report.races[0]).toMatchObject({ verdict: 'predicted' });
  });

  it('lets plain users make namespaces where they may not, and goes on if it may not', () => {
    const bin = scratchFolder();
    const asked = join(bin, 'asked');
    const PATH = `${bin}:${process.env.PATH}`;
    const allows = (sysctl: string, sudo: string): string => {
      for (const [name, does] of Object.entries({ sysctl, sudo })) {
        writeFileSync(join(bin, name), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
      }
      writeFileSync(asked, '');
      expect(step('allow', bin, { PATH })).toMatchObject({ status: 0 });
      return readFileSync(asked, 'utf8');
    };
    const ask = `echo "$@" >> ${asked}`;
    const allowed = 'sysctl -q kernel.apparmor_restrict_unprivileged_userns=0\n';
    expect(allows('echo 1', ask)).toBe(allowed);
    expect(allows('echo 1', `${ask}; exit 1`)).toBe(allowed);
    expect(allows('echo 0', ask)).toBe('');
    expect(allows('exit 1', ask), 'a kernel without AppArmor').toBe('');
  });

  it('goes on if there is nothing to report', () => {
    expect(look('echo hello')).toMatchObject({
      told: 'status=0\n',
      sarif: expect.stringMatching(/2\.1\.0/),
    });
  });

  it('fails for races unless told not to, and always for what went wrong', () => {
    expect([ends('0', 'true'), ends('66', 'true'), ends('66', 'false')]).toEqual([0, 66, 0]);
    expect([ends('69', 'false'), ends('2', 'true')]).toEqual([69, 2]);
  });
});
