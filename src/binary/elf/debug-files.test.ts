import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compiled, scratchFolder } from '../testdata/compiled.ts';
import {
  asDebugFile,
  debugFileCandidates,
  debugFileWanted,
  readDebugAltLink,
} from './debug-files.ts';
import { parseElf } from './elf-file.ts';

/** A program without debug information, linked to a debug file. */
function separated(...options: string[]): { program: string; debug: string } {
  const folder = scratchFolder();
  const whole = compiled('calls.c', '-g', ...options);
  const program = join(folder, 'calls');
  const debug = join(folder, 'calls.debug');
  execFileSync('objcopy', ['--only-keep-debug', whole, debug]);
  const link = `--add-gnu-debuglink=${debug}`;
  execFileSync('objcopy', ['--strip-debug', link, whole, program]);
  return { program, debug };
}

it('lists where a debug file may be', () => {
  const wanted = { buildId: '5f1c22', link: { name: 'git.debug', crc: 1 } };
  expect(debugFileCandidates('/usr/bin/git', wanted, ['/usr/lib/debug', '/opt/debug'])).toEqual([
    '/usr/lib/debug/.build-id/5f/1c22.debug',
    '/opt/debug/.build-id/5f/1c22.debug',
    '/usr/bin/git.debug',
    '/usr/bin/.debug/git.debug',
    '/usr/lib/debug/usr/bin/git.debug',
    '/opt/debug/usr/bin/git.debug',
  ]);
  expect(debugFileCandidates('/a', { buildId: undefined, link: undefined })).toEqual([]);
  const leadsOut = { buildId: undefined, link: { name: '../../etc/shadow', crc: 1 } };
  expect(debugFileCandidates('/usr/bin/git', leadsOut)).toEqual([]);
  const itself = { buildId: undefined, link: { name: 'git', crc: 1 } };
  expect(debugFileCandidates('/bin/git', itself)).not.toContain('/bin/git');
});

it('accepts the file with the same build-id only', () => {
  const { program, debug } = separated('-Wl,--build-id=0x0123456789');
  const wanted = debugFileWanted(parseElf(readFileSync(program)));
  expect(wanted.link?.name).toBe('calls.debug');
  expect(debugFileCandidates(program, wanted)).toContain(debug);
  const found = asDebugFile(readFileSync(debug), wanted);
  expect(found.ok && found.value.content('.debug_info')).toBeTruthy();
  const other = asDebugFile(readFileSync(debug), { ...wanted, buildId: '99' });
  expect(!other.ok && other.error.message).toBe('it has build-id 0123456789, not 99');
  const damaged = asDebugFile(readFileSync(debug).subarray(0, 999), wanted);
  expect(!damaged.ok && damaged.error.message).toContain('cut short');
});

it('goes by the checksum if there is no build-id', () => {
  const { program, debug } = separated('-Wl,--build-id=none');
  const wanted = debugFileWanted(parseElf(readFileSync(program)));
  expect(wanted.buildId).toBeUndefined();
  const bytes = readFileSync(debug);
  expect(asDebugFile(bytes, wanted).ok).toBe(true);
  bytes[9]! ^= 1; // padding of the ELF header
  const changed = asDebugFile(bytes, wanted);
  expect(!changed.ok && changed.error.message).toBe('its checksum is another');
  expect(asDebugFile(readFileSync(debug), { ...wanted, link: undefined }).ok).toBe(false);
});

it('names the file that several debug files share', () => {
  const folder = scratchFolder();
  const content = join(folder, 'link');
  execFileSync('sh', ['-c', `printf '/usr/lib/debug/.dwz/x.debug\\0\\001\\253' > ${content}`]);
  const output = join(folder, 'with-link');
  const section = `.gnu_debugaltlink=${content}`;
  execFileSync('objcopy', ['--add-section', section, compiled('calls.c'), output]);
  const link = readDebugAltLink(parseElf(readFileSync(output)));
  expect(link).toEqual({ path: '/usr/lib/debug/.dwz/x.debug', buildId: '01ab' });
});
