/**
 * Finds what a guest takes: an emulator, programs, a kernel, and headers if modules are to be built for it. What is
 * installed is used as it is; what is not comes from packages that were unpacked in the user's cache
 * (unpacked-sets.ts), and they are fetched if the user has asked for that.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExitStatus } from '../../base/exit-status.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { parseElf } from '../../binary/elf/elf-file.ts';
import { programKind } from '../../binary/elf/program-kind.ts';
import { resolveExecutable } from '../../linux/executable.ts';
import { type KernelImage, readKernelImage } from './kernel-image.ts';
import type { SetName } from './package-sets.ts';
import { fetchSet, megabytes, setsToFetch, unpackedSet } from './unpacked-sets.ts';

export interface GuestParts {
  readonly emulator: Emulator;
  readonly busybox: string;
  readonly kernel: KernelImage;
}

export interface Emulator {
  readonly command: string;
  /** Where it finds its firmware. */
  readonly options: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export interface PartsWanted {
  /** Instead of Debian's. */
  readonly kernelImage?: string | undefined;
  /** Modules will be built. */
  readonly headers?: boolean;
  /** Called with what is fetched, before; without it nothing is. */
  readonly fetching?: ((told: string) => void) | undefined;
}

const EMULATOR = 'qemu-system-x86_64';

export function findGuestParts(wanted: PartsWanted): GuestParts {
  const given = wanted.kernelImage;
  const image = given === undefined ? undefined : readKernelImage(given);
  provide(missingSets(image, wanted), wanted.fetching);
  return {
    emulator: findEmulator() ?? notFound('emulator'),
    busybox: findBusybox() ?? notFound('busybox'),
    kernel: image ?? unpackedKernel() ?? notFound('kernel'),
  };
}

function missingSets(image: KernelImage | undefined, { headers }: PartsWanted): SetName[] {
  const kernel = image ?? unpackedKernel();
  const missing: SetName[] = [];
  if (findEmulator() === undefined) missing.push('emulator');
  if (findBusybox() === undefined) missing.push('busybox');
  if (kernel === undefined) missing.push('kernel');
  if (headers && (kernel === undefined || headersFor(kernel.release) === undefined)) {
    // Debian may have a newer kernel by now, and only its headers.
    if (image === undefined) missing.push('headers', ...(kernel ? (['kernel'] as const) : []));
    else throw noHeaders(image);
  }
  return missing;
}

function provide(missing: readonly SetName[], fetching: PartsWanted['fetching']): void {
  if (missing.length === 0) return;
  const sets = setsToFetch(missing);
  const what = missing.map((set) => EXPLAINED[set]).join(', ');
  if (fetching === undefined) {
    throw new UserError(
      `a guest needs what is not here: ${what} (${megabytes(sets)} MB from Debian, unpacked into the cache, not installed)`,
      'run it once with --fetch',
      ExitStatus.unavailable,
    );
  }
  for (const set of sets) {
    fetching(`fetching ${EXPLAINED[set.set]} (${megabytes([set])} MB) …`);
    fetchSet(set);
  }
}

const EXPLAINED: Readonly<Record<SetName, string>> = {
  emulator: `${EMULATOR} with its libraries`,
  busybox: 'a static busybox',
  kernel: "Debian's kernel",
  headers: 'its headers to build modules with',
};

/** Installed, or unpacked. */
export function findEmulator(): Emulator | undefined {
  const installed = tryTo(() => resolveExecutable(EMULATOR));
  if (installed.ok) return { command: installed.value, options: [], environment: process.env };
  const root = unpackedSet('emulator');
  if (root === undefined) return undefined;
  const firmware = ['qemu', 'seabios'].map((name) => join(root, 'usr/share', name));
  return {
    command: join(root, 'usr/bin', EMULATOR),
    options: firmware.flatMap((folder) => ['-L', folder]),
    environment: withLibrariesOf(root),
  };
}

/** Programs of unpacked packages find their libraries there. */
export function withLibrariesOf(root: string): NodeJS.ProcessEnv {
  const folders = ['usr/lib', 'lib'].map((lib) => join(root, lib, 'x86_64-linux-gnu'));
  const already = process.env.LD_LIBRARY_PATH;
  return { ...process.env, LD_LIBRARY_PATH: [...folders, ...(already ? [already] : [])].join(':') };
}

function findBusybox(): string | undefined {
  const installed = tryTo(() => resolveExecutable('busybox'));
  if (installed.ok && isStatic(installed.value)) return installed.value;
  const root = unpackedSet('busybox');
  const places =
    root === undefined ? [] : ['bin', 'usr/bin'].map((bin) => join(root, bin, 'busybox'));
  return places.find((place) => existsSync(place));
}

/** The guest has no libraries. */
export function isStatic(path: string): boolean {
  const read = tryTo(() => programKind(parseElf(readFileSync(path))).isStatic);
  return read.ok && read.value;
}

export function unpackedKernel(): KernelImage | undefined {
  const root = unpackedSet('kernel');
  if (root === undefined) return undefined;
  const boot = join(root, 'boot');
  const [image] = readdirSync(boot).filter((name) => name.startsWith('vmlinuz-'));
  return image === undefined ? undefined : readKernelImage(join(boot, image));
}

/** The folder to build modules in: the installed one, or that of the unpacked packages with their root. */
export function headersFor(release: string): { folder: string; root?: string } | undefined {
  const installed = `/lib/modules/${release}/build`;
  if (existsSync(join(installed, 'Makefile'))) return { folder: installed };
  const within = join('usr/src', `linux-headers-${release}`);
  const root = unpackedSet('headers', (folder) => existsSync(join(folder, within)));
  return root === undefined ? undefined : { folder: join(root, within), root };
}

const noHeaders = ({ release }: KernelImage): UserError =>
  new UserError(
    `there are no headers of kernel ${release} to build modules with`,
    `install linux-headers-${release}, or give modules that are built: --module FILE.ko`,
    ExitStatus.unavailable,
  );

function notFound(set: SetName): never {
  throw new UserError(
    `${EXPLAINED[set]}: not in the cache, although it was fetched`,
    'is somebody else clearing the cache? try again with --fetch',
    ExitStatus.unavailable,
  );
}
