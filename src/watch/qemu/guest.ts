/**
 * A guest: a kernel in QEMU with busybox, the modules that are to be watched and a workload.
 *
 *   const guest = await startGuest({ modules: ['race.ko'], workload: 'ls -R /' });
 *   guest.debugSocket     a gdb stub listens there; guest.symbols is a file like /proc/kallsyms
 *   guest.start();        …once everything is set up: the workload begins
 *   await guest.ended;    it has ended
 *   await guest.end();    QEMU is gone, and the folder with it
 *
 * It is ready when all modules are loaded and have told their symbols: after some seconds.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProgress } from '../../base/progress.ts';
import { buildModules } from './build-modules.ts';
import { tellingOfStart } from './earlier-start.ts';
import { firstFileSystem } from './first-file-system.ts';
import { findGuestParts, type PartsWanted } from './guest-parts.ts';
import { type GuestEnd, GuestHangs, GuestTalk } from './guest-talk.ts';
import { VirtualMachine } from './virtual-machine.ts';
import { serialPort } from './virtual-serial-port.ts';

export interface GuestOptions extends Pick<PartsWanted, 'kernelImage' | 'fetching'> {
  /** FILE.ko, or FILE.c to be built. */
  readonly modules?: readonly string[];
  readonly files?: readonly string[];
  /** A script for sh, of which each processor runs a copy. */
  readonly workload?: string | undefined;
  readonly kvm?: boolean | undefined;
  readonly memoryMegabytes?: number;
  /** Where to keep what the kernel prints; without it, it goes with the guest. */
  readonly consoleFile?: string;
  /** Gives up, even before it is ready. */
  readonly stop?: AbortSignal;
  /** A guest that has printed nothing for so long, and is not ready, hangs. */
  readonly silenceLimitMs?: number;
}

export interface Guest {
  readonly debugSocket: string;
  /** A file: what /proc/kallsyms in the guest has. */
  readonly symbols: string;
  readonly release: string;
  /** The modules' files, with debug information if they have any. */
  readonly modules: readonly string[];
  readonly consoleFile: string;
  /** Lets the workload begin. */
  start(): void;
  /** Settles when the workload has ended; never, if there is none. */
  readonly ended: Promise<GuestEnd>;
  end(): Promise<void>;
}

const MEMORY_MEGABYTES = 512;
/** In a silent second of its start, a guest on an idle machine compresses all symbols. */
const SILENCE_LIMIT_MS = 90_000;
/** One guest in thirty hung as it started on a machine that was too busy; the next one did not. */
const MOST_STARTS = 3;

export async function startGuest(options: GuestOptions): Promise<Guest> {
  const { modules = [] } = options;
  const sources = modules.filter((file) => file.endsWith('.c'));
  const parts = findGuestParts({ ...options, headers: sources.length > 0 });
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-guest-'));
  try {
    const built = await buildModules(sources, parts.kernel.release, join(folder, 'modules'));
    const loaded = modules.map((file) => built[sources.indexOf(file)] ?? file);
    for (let starts = 1; ; starts++) {
      try {
        return await boot(folder, { ...options, modules: loaded }, parts);
      } catch (error) {
        if (!(error instanceof GuestHangs) || starts === MOST_STARTS) throw error;
      }
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function boot(
  folder: string,
  options: GuestOptions,
  { emulator, busybox, kernel }: ReturnType<typeof findGuestParts>,
): Promise<Guest> {
  const port = serialPort(kernel.modules);
  const { modules = [], files = [], workload, kvm = false } = options;
  const archive = join(folder, 'first-files');
  writeFileSync(archive, firstFileSystem({ busybox, port, modules, files, workload }));
  const debugSocket = join(folder, 'gdb');
  const talkSocket = join(folder, 'talk');
  const consoleFile = options.consoleFile ?? join(folder, 'console');
  const server = createServer();
  server.listen(talkSocket);
  await once(server, 'listening');
  const machine = new VirtualMachine({
    ...{ emulator, kernel: kernel.path, firstFileSystem: archive, debugSocket, talkSocket },
    ...{ talkOptions: port.options, consoleFile, kvm },
    memoryMegabytes: options.memoryMegabytes ?? MEMORY_MEGABYTES,
  });
  const stopMachine = async (): Promise<void> => {
    await machine.end();
    // The next one may want its place.
    await new Promise((closed) => server.close(closed));
  };
  const end = async (): Promise<void> => {
    await stopMachine();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const talk = new GuestTalk(server, machine, consoleFile);
    options.stop?.addEventListener('abort', () => talk.giveUp(), { once: true });
    if (options.stop?.aborted) talk.giveUp();
    const symbols = join(folder, 'symbols');
    await tellingOfStart(kvm, () =>
      talk.untilReady(symbols, options.silenceLimitMs ?? SILENCE_LIMIT_MS),
    );
    endProgress();
    const { release } = kernel;
    const start = (): void => talk.say('start');
    return { debugSocket, symbols, release, modules, consoleFile, start, ended: talk.ended(), end };
  } catch (error) {
    await stopMachine();
    throw error;
  }
}
