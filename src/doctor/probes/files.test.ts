/** Probes that look at files: kernels and debug information. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBuildId } from '../elf-build-id.ts';
import type { Probe } from '../probe.ts';
import { debugInfoProbe, ownLibc } from './debug-info.ts';
import { kernelImageProbe } from './kernel-image.ts';
import { isRecentEnough } from './machine.ts';

const run = async (probe: Probe) => probe.run(new AbortController().signal);
let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'doctor-test-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

function putImage(magic: string): string {
  const image = Buffer.alloc(0x1000);
  image.write(magic, 0x202);
  image.writeUInt16LE(0x400, 0x20e);
  image.write('6.1.0-9-amd64 (somebody@somewhere)\0', 0x600);
  const boot = join(cache, 'deadheat/debian/kernel-6.1.9-1/boot');
  mkdirSync(boot, { recursive: true });
  const path = join(boot, 'vmlinuz-6.1.0-9-amd64');
  writeFileSync(path, image);
  return path;
}

const bootHasKernel = readdirSync('/boot').some((name) => name.startsWith('vmlinuz'));

describe('the kernel image probe', () => {
  it('finds an unpacked kernel', async () => {
    const path = putImage('HdrS');
    expect(await run(kernelImageProbe)).toMatchObject({
      status: 'ok',
      found: expect.stringContaining(`${path} is Linux 6.1.0-9-amd64, `),
    });
  });

  it.skipIf(bootHasKernel)('does not take any file for a kernel', async () => {
    expect(await run(kernelImageProbe)).toMatchObject({
      status: 'missing',
      found: expect.stringMatching(/^none in/),
    });
    putImage('HdrX');
    expect(await run(kernelImageProbe)).toMatchObject({
      status: 'missing',
      found: expect.stringContaining('not a Linux kernel that can be booted'),
      remedy: expect.stringContaining('deadheat watch --qemu --fetch'),
    });
  });
});

describe('the debug information probe', () => {
  const library = ownLibc()!;
  const readelf = spawnSync('readelf', ['-n', library], { encoding: 'utf8' });
  if (readelf.status !== 0) console.warn('skipped: no readelf here to compare the build-id with');

  it.runIf(readelf.status === 0)('reads the build-id that readelf reads', () => {
    const expected = /Build ID: ([0-9a-f]+)/.exec(readelf.stdout)?.[1];
    expect(expected).toBeDefined();
    expect(readBuildId(library).buildId).toBe(expected);
  });

  it('finds the separate file, or says what to install', async () => {
    vi.stubEnv('DEBUGINFOD_URLS', undefined);
    const { buildId, hasDebugInfo } = readBuildId(library);
    const file = `/usr/lib/debug/.build-id/${buildId?.slice(0, 2)}/${buildId?.slice(2)}.debug`;
    const finding = await run(debugInfoProbe);
    expect(finding.status).toBe(hasDebugInfo || existsSync(file) ? 'ok' : 'limited');
    if (existsSync(file)) expect(readBuildId(file)).toEqual({ buildId, hasDebugInfo: true });
  });
});

describe('the machine probe', () => {
  it('compares versions as numbers', () => {
    expect(['20.19.0', '20.20.1', '22.0.0', '100.1.0'].map(isRecentEnough)).not.toContain(false);
    expect(['20.18.9', '20.9.0', '18.99.0', '9.0.0'].map(isRecentEnough)).not.toContain(true);
  });
});
