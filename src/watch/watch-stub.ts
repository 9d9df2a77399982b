/**
 * Watches whatever answers at a gdb stub, in a run directory of its own: something that runs already, or a guest that
 * is started for it.
 */
import { join } from 'node:path';
import { ownFolder } from '../linux/own-process.ts';
import { replaceFile } from '../trace/replace-file.ts';
import type { Run } from '../trace/run-directory.ts';
import type { TargetEnd } from './debug-target.ts';
import { type ConnectOptions, connectTarget } from './gdb/connect-target.ts';
import { kcsanReport } from './kernel/kcsan-log.ts';
import { moduleNameOf } from './kernel/module-lines.ts';
import { type Guest, type GuestOptions, startGuest } from './qemu/guest.ts';
import {
  newRun,
  noteEnd,
  notingFailure,
  type WatchedRun,
  type WatchRunOptions,
} from './watch-run.ts';
import { type Watched, watchTarget } from './watch-target.ts';

export interface WatchStubOptions extends WatchRunOptions {
  /** When to let it go, besides its own end. */
  readonly stop: AbortSignal;
  /** Is called when it is being watched. */
  readonly attached: () => void;
}

type WatchedKernel = Watched & Pick<WatchedRun, 'kcsan'>;

/** In the run directory. */
const KCSAN_FILE = 'kcsan.txt';

/** `name`: what the user called it. */
export async function watchStub(
  name: string,
  connection: ConnectOptions,
  options: WatchStubOptions,
): Promise<WatchedRun> {
  const run = newRun({ command: [name], cwd: ownFolder(), recorder: 'gdb' }, options);
  return notingFailure(run, async () => {
    const watched = await watchConnected(connection, run, options);
    noteEnd(run, undefined);
    return { run, interruptedBy: undefined, ...watched };
  });
}

export async function watchGuest(
  what: Omit<GuestOptions, 'consoleFile'>,
  options: WatchStubOptions,
): Promise<WatchedRun> {
  const { modules = [], workload } = what;
  const command = ['qemu', ...modules, ...(workload === undefined ? [] : ['sh', '-c', workload])];
  const run = newRun({ command, cwd: ownFolder(), recorder: 'gdb' }, options);
  return notingFailure(run, async () => {
    const guest = await startGuest({ ...what, consoleFile: join(run.path, 'console.txt') });
    try {
      const watched = await watchInGuest(guest, run, options);
      noteEnd(run, undefined);
      return { run, interruptedBy: undefined, ...watched };
    } finally {
      await guest.end();
    }
  });
}

/** Until the workload has ended. */
async function watchInGuest(
  guest: Guest,
  run: Run,
  options: WatchStubOptions,
): Promise<WatchedKernel> {
  const workload = new AbortController();
  const stop = AbortSignal.any([options.stop, workload.signal]);
  const { debugSocket: path, symbols: kernel, modules } = guest;
  const connection = { path, kernel, modules };
  const attached = (): void => {
    options.attached();
    guest.start();
  };
  let end: TargetEnd | undefined;
  // Of a machine that is gone, the connection tells.
  void guest.ended.then((told) => {
    if (!('status' in told)) return;
    end = { code: told.status };
    workload.abort();
  });
  const usualModules = modules.length > 0 ? modules.map(moduleNameOf) : undefined;
  const how = { ...options, stop, attached, usualModules, ended: () => end };
  return await watchConnected(connection, run, how);
}

async function watchConnected(
  connection: ConnectOptions,
  run: Run,
  options: WatchStubOptions,
): Promise<WatchedKernel> {
  const { target, kernel } = await connectTarget(connection);
  const texts: string[] = [];
  const found: WatchStubOptions['found'] =
    kernel &&
    (async (race, told) => {
      texts.push(await kcsanReport(race, told, target, kernel));
    });
  const end = new AbortController();
  const timer =
    options.durationMs === undefined
      ? undefined
      : setTimeout(() => end.abort(), options.durationMs);
  try {
    options.attached();
    const stop = AbortSignal.any([options.stop, end.signal]);
    const how = { ...options, watchesBy: 'gdb stub', stop, found };
    const watched = await watchTarget(target, run, how);
    if (texts.length === 0) return watched;
    const kcsan = texts.join('\n');
    replaceFile(join(run.path, KCSAN_FILE), kcsan);
    return { ...watched, kcsan };
  } finally {
    clearTimeout(timer);
    await target.leave();
  }
}
