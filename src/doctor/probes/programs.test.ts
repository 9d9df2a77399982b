/** Probes that start other programs, against a PATH that has them or has not. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findEmulator } from '../../watch/qemu/guest-parts.ts';
import type { Finding, Probe } from '../probe.ts';
import { compilerProbe } from './compiler.ts';
import { namespaceProbe } from './namespaces.ts';
import { nextPidProbe } from './next-pid.ts';
import { qemuProbe } from './qemu.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-test-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const run = async (probe: Probe): Promise<Finding> => probe.run(new AbortController().signal);

function onlyPrograms(programs: Record<string, string>): void {
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', folder);
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe('the compiler probe', () => {
  it('agrees with the shell about this machine', async () => {
    vi.stubEnv('CC', undefined);
    const has = ['cc', 'gcc', 'clang'].some((name) => spawnSync(name, ['--version']).status === 0);
    expect((await run(compilerProbe)).status).toBe(has ? 'ok' : 'missing');
  });

  it('finds none on an empty PATH', async () => {
    vi.stubEnv('CC', undefined);
    onlyPrograms({});
    expect(await run(compilerProbe)).toMatchObject({
      status: 'missing',
      found: expect.stringContaining('no program named gcc on PATH'),
      remedy: expect.stringContaining('apt-get install gcc libc6-dev'),
    });
  });

  it('does not take a program’s word: success without a library is no compiler', async () => {
    vi.stubEnv('CC', 'cc -m64');
    onlyPrograms({ cc: '#!/bin/sh\necho elf > agent.so\n' });
    expect((await run(compilerProbe)).status).toBe('missing');
  });
});

describe('the sandbox probes', () => {
  it('agree with unshare about this machine', async () => {
    const bare = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']);
    if (bare.status !== 0) console.warn(`no user namespaces here: ${bare.stderr}`);
    const finding = await run(namespaceProbe);
    if (bare.status !== 0) expect(finding.status).toBe('missing');
    else expect(finding.found).not.toContain('unshare');
  });

  it('notice a write that goes through to the real file', async () => {
    // Runs the script without any namespace and with mounts that do nothing: a bind, in effect.
    onlyPrograms({
      unshare:
        '#!/bin/sh\nfor script; do :; done\nPATH=$PATH:/usr/bin:/bin exec /bin/sh -ec "$script"\n',
      mount: '#!/bin/sh\ncase $2 in overlay) rmdir merged && ln -s lower merged;; esac\n',
    });
    expect(await run(namespaceProbe)).toMatchObject({
      status: 'limited',
      found: expect.stringMatching(/reached/),
    });
  });

  it('notice when another process id is given out', async () => {
    onlyPrograms({ unshare: '#!/bin/sh\necho 17\n' });
    expect(await run(nextPidProbe)).toMatchObject({
      status: 'missing',
      found: 'asked for process id 4242 and got 17',
    });
  });

  it('ask for unshare where there is none', async () => {
    onlyPrograms({});
    for (const probe of [namespaceProbe, nextPidProbe]) {
      expect(await run(probe)).toMatchObject({
        status: 'missing',
        found: 'no program named unshare on PATH',
        remedy: expect.stringContaining('util-linux'),
      });
    }
  });
});

/** Behaves like QEMU as far as the probe can see; says where it runs. */
const standIn = (afterStart: string): string => `#!${process.execPath}
const fs = require('fs'), net = require('net');
if (process.argv[2] === '--version') { console.log('QEMU emulator version 7.7'); process.exit(); }
fs.writeFileSync(__dirname + '/pid', String(process.pid));
const path = process.argv.at(-1).replace('unix:', '').split(',')[0];
const answerWith = (text) => net.createServer((peer) => peer.on('data', (asked) => {
  if (String(asked) === '$?#3f') peer.write(text);
})).listen(path);
${afterStart}
`;
const standInPid = (): number => Number(readFileSync(join(folder, 'pid'), 'utf8'));

async function startedPid(): Promise<number> {
  while (!existsSync(join(folder, 'pid')) || !(standInPid() > 0)) await sleep(10);
  return standInPid();
}

describe('the QEMU probe', () => {
  it('agrees with the shell about this machine', async () => {
    const has = findEmulator() !== undefined;
    if (!has) console.warn('no qemu-system-x86_64 here: only its stand-ins are probed');
    expect((await run(qemuProbe)).status).toBe(has ? 'ok' : 'missing');
  });

  it('takes an answer on the stub for success, and ends the machine', async () => {
    onlyPrograms({ 'qemu-system-x86_64': standIn("answerWith('+$T05thread:01;#07')") });
    expect(await run(qemuProbe)).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('version 7.7 answered'),
    });
    expect(isAlive(standInPid())).toBe(false);
  });

  it('takes neither a wrong answer nor an early end for success', async () => {
    onlyPrograms({ 'qemu-system-x86_64': standIn("answerWith('+$E01#a6')") });
    expect((await run(qemuProbe)).status).toBe('missing');
    onlyPrograms({ 'qemu-system-x86_64': standIn("console.error('no BIOS'); process.exit(1)") });
    expect(await run(qemuProbe)).toMatchObject({ found: expect.stringContaining('no BIOS') });
  });

  it('ends a machine that never answers', async () => {
    for (const silence of ['setInterval(() => {}, 1000)', "answerWith('')"]) {
      onlyPrograms({ 'qemu-system-x86_64': standIn(silence) });
      const timeOver = new AbortController();
      const finding = qemuProbe.run(timeOver.signal);
      const pid = await startedPid();
      expect(isAlive(pid)).toBe(true);
      timeOver.abort();
      expect((await finding).status).toBe('missing');
      expect(isAlive(pid)).toBe(false);
      rmSync(join(folder, 'pid'));
    }
  });
});
