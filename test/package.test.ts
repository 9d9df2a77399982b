/**
 * The package, as people get it: packed, installed for a machine that has no compiler, and tried in an empty
 * folder. npm fetches what it needs as it would for them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** For all tests of this file: what was packed, where it is installed, what it is given to run with. */
const around = mkdtempSync(join(tmpdir(), 'deadheat-package-'));
const [packed, prefix, commands, cache] = ['packed', 'prefix', 'commands', 'cache'].map((name) => {
  const folder = join(around, name);
  mkdirSync(folder);
  return folder;
}) as [string, string, string, string];
const installed = join(prefix, 'bin', 'deadheat');

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
  const npm = (...args: string[]): string =>
    execFileSync('npm', [...args, '--loglevel=error'], { cwd: PROJECT, encoding: 'utf8' });
  npm('pack', '--pack-destination', packed);
  const [file = ''] = readdirSync(packed);
  npm('install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', join(packed, file));
  linkCommands();
});

const run = (cwd: string, ...args: string[]): Ended =>
  runToEnd(installed, args, { cwd, env: { PATH: commands, XDG_CACHE_HOME: cache, CC: '' } });

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

  it('finds a race between threads, with the agent that it brought', () => {
    const cwd = scratchFolder();
    const source = join(PROJECT, 'examples/threads/listing-1-1/racy.c');
    execFileSync('cc', ['-g', '-O1', '-pthread', source, '-o', join(cwd, 'program')]);
    const { status, stderr } = run(cwd, 'threads', '-q', '--', './program');
    expect(stderr).not.toMatch(/compile/);
    expect(status).toBe(66);
    expect(readdirSync(cache, { recursive: true, encoding: 'utf8' })).not.toContainEqual(
      expect.stringMatching(/libdeadheat/),
    );
    expect(run(cwd, 'report', 'latest', '--sarif', 'races.sarif').status).toBe(66);
    expect(existsSync(join(cwd, 'races.sarif'))).toBe(true);
  });

  it('has a manual page, examples and a header beside it', () => {
    expect(existsSync(join(prefix, 'share/man/man1/deadheat.1'))).toBe(true);
    const home = join(installed, '../../lib/node_modules/deadheat');
    for (const part of ['examples/procs', 'include/deadheat.h', 'docs/watch.md', 'LICENSE']) {
      expect(existsSync(join(home, part)), part).toBe(true);
    }
  });
});
