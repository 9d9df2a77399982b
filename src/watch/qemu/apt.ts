/**
 * Asks Debian's package tools, which need no root for this. Nothing is installed.
 *
 *   apt-cache depends linux-image-amd64          …Depends: linux-image-6.1.0-50-amd64
 *   apt-get -s install qemu-system-x86           Inst libfdt1 (1.6.1-4+b1 …): what it needs and is not installed
 *   apt-get download --print-uris seabios        'http://…' seabios_1.16.2-1_all.deb 162656 SHA256:08e5…
 *   apt-get download seabios                     the file, in the current folder, if its checksum is right
 */
import { spawnSync } from 'node:child_process';
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';

/** A file that apt-get would download. */
export interface DebianFile {
  readonly file: string;
  readonly size: number;
}

const UNTRANSLATED = { LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
/** Root's apt-get would become somebody who cannot write where root's files are. */
const AS_WE_ARE = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
const MOST_OUTPUT = 1 << 26;

/** The packages that one depends on, in the version that would be installed. */
export function dependenciesOf(name: string): string[] {
  const told = aptOutput('apt-cache', ['depends', name]);
  return [...told.matchAll(/^ *\|?Depends: ([^<\s]+)$/gm)].map(([, needed = '']) => needed);
}

/** What would be installed for this package, itself included. */
export function missingFor(name: string): string[] {
  const told = aptOutput('apt-get', ['-s', 'install', '--no-install-recommends', name]);
  return [...told.matchAll(/^Inst (\S+) /gm)].map(([, needed = '']) => needed);
}

export function filesOf(packages: readonly string[]): DebianFile[] {
  const told = aptOutput('apt-get', ['download', '--print-uris', ...packages]);
  return parsePrintedUris(told);
}

/** Lines such as `'http://…' seabios_1.16.2-1_all.deb 162656 SHA256:08e5…`. */
export function parsePrintedUris(text: string): DebianFile[] {
  const lines = text.matchAll(/^'[^']*' ([^/\s]+\.deb) (\d+)(?: |$)/gm);
  return [...lines].map(([, file = '', size]) => ({ file, size: Number(size) }));
}

export function download(packages: readonly string[], folder: string): void {
  aptOutput('apt-get', ['-q', ...AS_WE_ARE, 'download', ...packages], folder);
}

function aptOutput(tool: string, args: readonly string[], cwd = '/'): string {
  const env = { ...process.env, ...UNTRANSLATED };
  const ran = spawnSync(tool, args, { cwd, env, encoding: 'utf8', maxBuffer: MOST_OUTPUT });
  if (ran.error) {
    throw new UserError(
      `cannot run ${tool} (${(ran.error as NodeJS.ErrnoException).code}): packages are fetched on Debian and its kin only`,
      'install qemu-system-x86_64 and a static busybox, and name a kernel with --kernel-image',
      ExitStatus.unavailable,
    );
  }
  if (ran.status === 0) return ran.stdout;
  throw new UserError(
    `${tool} ${whatFailed(ran.stderr)}`,
    remedyFor(ran.stderr),
    ExitStatus.unavailable,
  );
}

/** Its last complaint: `E: Unable to locate package busybox-static`. */
function whatFailed(complaints: string): string {
  const [last = ''] = complaints.match(/^E: .*/gm)?.slice(-1) ?? [];
  return last === ''
    ? `failed: ${complaints.trim().split('\n').at(-1)}`
    : `failed: ${last.slice(3)}`;
}

function remedyFor(complaints: string): string {
  if (/No space left|not enough free space/i.test(complaints)) {
    return 'free some space there, or choose another cache with XDG_CACHE_HOME';
  }
  if (/Unable to locate|No packages found|Can't select|404 /.test(complaints)) {
    return "the package lists are missing or old: 'sudo apt-get update', and try again";
  }
  return 'is there a network? it is needed once, to fetch the packages';
}
