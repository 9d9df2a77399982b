/** With an apt-get of our own, which has packages that dpkg-deb makes here. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ExitStatus } from '../../base/exit-status.ts';
import { scratchFolder } from '../../binary/testdata/compiled.ts';
import { parsePrintedUris } from './apt.ts';
import { findGuestParts } from './guest-parts.ts';
import { folderName } from './package-sets.ts';
import { fetchSet, setsToFetch, unpackedSet } from './unpacked-sets.ts';

/** `downloading`: what apt-get does, in sh, when it is to download. */
function pretendedApt(downloading: (folder: string) => string): { cache: string; folder: string } {
  const folder = scratchFolder();
  const contents = join(folder, 'contents');
  mkdirSync(join(contents, 'DEBIAN'), { recursive: true });
  mkdirSync(join(contents, 'bin'));
  writeFileSync(join(contents, 'bin/busybox'), 'a program');
  const control = ['Package: busybox-static', 'Version: 1:1.0', 'Architecture: amd64'];
  const rest = ['Maintainer: nobody', 'Description: nothing'];
  writeFileSync(join(contents, 'DEBIAN/control'), `${[...control, ...rest].join('\n')}\n`);
  execFileSync('dpkg-deb', ['--build', contents, join(folder, 'package.deb')]);
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const apt = join(programs, 'apt-get');
  const uri = "'http://somewhere/b' busybox-static_1%3a1.0_amd64.deb 2000000 SHA256:00";
  writeFileSync(
    apt,
    `#!/bin/sh\ncase "$*" in *--print-uris*) echo "${uri}";; *) ${downloading(folder)};; esac\n`,
  );
  chmodSync(apt, 0o755);
  vi.stubEnv('PATH', `${programs}:/usr/bin:/bin`);
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  return { folder, cache: join(folder, 'cache/deadheat/debian') };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const copying = (folder: string): string =>
  `cp ${join(folder, 'package.deb')} busybox-static_1%3a1.0_amd64.deb`;

const fetchBusybox = (): void => setsToFetch(['busybox']).forEach(fetchSet);

test('are fetched once, and found', () => {
  const { cache } = pretendedApt(copying);
  expect(unpackedSet('busybox')).toBeUndefined();
  const [wanted] = setsToFetch(['busybox']);
  expect(wanted).toMatchObject({ packages: ['busybox-static'], bytes: 2_000_000 });
  fetchSet(wanted!);
  expect(unpackedSet('busybox')).toBe(join(cache, wanted!.folder));
  expect(existsSync(join(cache, wanted!.folder, 'bin/busybox'))).toBe(true);
  expect(setsToFetch(['busybox'])).toEqual([]);
  // Somebody else wanted it at the same time, and is ready later.
  fetchSet(wanted!);
  expect(readdirSync(cache)).toEqual([wanted!.folder]);
});

test.each([
  ['is cut short', 'head -c 300 package.deb', 'cannot unpack packages', 'free some space'],
  ['fails', 'echo "E: Could not resolve" >&2; exit 100', 'Could not resolve', 'is there a network'],
  ['is gone', 'echo "E: 404  Not Found" >&2; exit 100', '404', 'apt-get update'],
  ['fills the disk', 'echo "E: write (28: No space left on device)" >&2; exit 100', '28', 'free'],
])('are not kept when a download %s', (_, script, message, remedy) => {
  const { cache } = pretendedApt((folder) =>
    script.startsWith('head')
      ? `head -c 300 ${join(folder, 'package.deb')} > busybox-static_1%3a1.0_amd64.deb`
      : script,
  );
  const failure = expect.objectContaining({
    status: ExitStatus.unavailable,
    message: expect.stringContaining(message),
    remedy: expect.stringContaining(remedy),
  });
  expect(fetchBusybox).toThrow(failure);
  expect(readdirSync(cache)).toEqual([]);
});

test('of somebody who was killed are cleared away, after a day', () => {
  const { cache } = pretendedApt(copying);
  for (const name of ['unfinished-old', 'unfinished-new']) {
    mkdirSync(join(cache, name, 'root'), { recursive: true });
  }
  utimesSync(join(cache, 'unfinished-old'), 0, 0);
  fetchBusybox();
  expect(readdirSync(cache).filter((name) => name.startsWith('unfinished'))).toEqual([
    'unfinished-new',
  ]);
});

test('are the newest of those that will do', () => {
  const { cache } = pretendedApt(copying);
  for (const [at, name] of ['headers-2-b', 'headers-1-a', 'headers-3-c'].entries()) {
    mkdirSync(join(cache, name), { recursive: true });
    utimesSync(join(cache, name), at + 1, at + 1);
  }
  expect(unpackedSet('headers')).toBe(join(cache, 'headers-3-c'));
  expect(unpackedSet('headers', (folder) => folder.includes('-2-'))).toBe(
    join(cache, 'headers-2-b'),
  );
});

test('that are missing are named, with what they take', () => {
  const { folder } = pretendedApt(copying);
  for (const program of ['qemu-system-x86_64', 'apt-cache']) {
    const path = join(folder, 'programs', program);
    writeFileSync(path, '#!/bin/sh\necho "  Depends: linux-image-1.0-amd64"\n');
    chmodSync(path, 0o755);
  }
  const apt = join(folder, 'programs/apt-get');
  const uri = "'http://somewhere/k' linux-image-1.0-amd64_1.0_amd64.deb 5000001 SHA256:00";
  writeFileSync(
    apt,
    `#!/bin/sh\ncase "$*" in *busybox*) echo "'x' busybox-static_1_amd64.deb 1000000 x";; *) echo "${uri}";; esac\n`,
  );
  const missing = expect.objectContaining({
    status: ExitStatus.unavailable,
    message: expect.stringMatching(/a static busybox, Debian's kernel \(7 MB from Debian/),
    remedy: 'run it once with --fetch',
  });
  expect(() => findGuestParts({})).toThrow(missing);
});

test('have other names when anything in them is another version', () => {
  const files = ['libfdt1_1_amd64.deb', 'qemu-system-x86_1%3a7.2_amd64.deb'].map((file) => ({
    file,
    size: 1,
  }));
  const name = folderName('emulator', files);
  expect(name).toMatch(/^emulator-1\.7\.2-[0-9a-f]{8}$/);
  expect(folderName('emulator', files.toReversed())).toBe(name);
  expect(folderName('emulator', [{ file: 'libfdt1_2_amd64.deb', size: 1 }, files[1]!])).not.toBe(
    name,
  );
});

test('are counted by what apt-get prints', () => {
  const printed = "N: a remark\n'file:/a' a_1_all.deb 12 SHA256:0\n'http://h/b' b_1_all.deb 30 \n";
  expect(parsePrintedUris(printed)).toEqual([
    { file: 'a_1_all.deb', size: 12 },
    { file: 'b_1_all.deb', size: 30 },
  ]);
});
