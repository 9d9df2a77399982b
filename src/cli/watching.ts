/** What `watch` tells the user, and how it exits because of it. */
import { readFileSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { pid } from '../linux/ids.ts';
import { signalName } from '../linux/signals.ts';
import { ControlFile } from '../watch/control-file.ts';
import { GuestGivenUp } from '../watch/qemu/guest-talk.ts';
import {
  USUAL_WINDOW_IN_GUEST_MS,
  USUAL_WINDOW_MS,
  type WatchSettings,
} from '../watch/settings.ts';
import { parseSuspects, type Suspect } from '../watch/suspects.ts';
import { type WatchProcessOptions, watchCommand, watchProcess } from '../watch/watch-process.ts';
import type { WatchedRun } from '../watch/watch-run.ts';
import { watchGuest, watchStub } from '../watch/watch-stub.ts';
import type { WatchOptions } from './commands/watch.ts';
import { ALL_SIGNALS, EarlyEnd } from './early-end.ts';
import { liveFigures } from './live-figures.ts';
import type { Outcome } from './outcome.ts';
import { present } from './present.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';
import { followKeys } from './watch-keys.ts';

/** The user has ended it while there was nothing to watch yet: a guest takes some seconds to start. */
interface NotWatched {
  readonly interruptedBy: number | undefined;
}

export async function watchAndTell(
  command: readonly string[],
  options: WatchOptions,
  terminal: Terminal,
): Promise<Outcome> {
  const settings = settingsOf(options);
  const control =
    options.control === undefined
      ? undefined
      : new ControlFile(options.control, settings, (text) => terminal.warn(text));
  const how: WatchProcessOptions = {
    ...{ version, settings, output: options.output, also: options.also },
    seed: options.seed ?? newSeed(),
    suspects: suspectsIn(options.addresses),
    durationMs: options.duration,
    enough: options.enough,
    onlooker: (view) =>
      liveFigures(
        view,
        { settings, durationMs: options.duration },
        terminal,
        options.verbose ?? false,
      ),
  };
  control?.follow();
  try {
    return tell(await watch(command, options, how, terminal), options, terminal);
  } finally {
    control?.close();
  }
}

function watch(
  command: readonly string[],
  options: WatchOptions,
  how: WatchProcessOptions,
  terminal: Terminal,
): Promise<WatchedRun | NotWatched> {
  if (options.qemu) return watchKernelInGuest(options, how, terminal);
  if (options.gdb !== undefined) {
    const { gdb, kernel } = options;
    const name = `${gdb.host}:${gdb.port}`;
    const attached = (): void =>
      terminal.remark(`watching what is behind ${name}; Ctrl-C ends it, and lets it go`);
    return untilInterrupted(how, (stop) =>
      watchStub(name, { ...gdb, kernel }, { ...how, stop, attached }),
    );
  }
  if (options.pid === undefined) return watchCommand(command, how);
  const number = options.pid;
  const attached = (): void =>
    terminal.remark(`watching process ${number}; Ctrl-C ends it, and lets the process go`);
  return untilInterrupted(how, (stop) => watchProcess(pid(number), { ...how, stop, attached }));
}

function watchKernelInGuest(
  options: WatchOptions,
  how: WatchProcessOptions,
  terminal: Terminal,
): Promise<WatchedRun | NotWatched> {
  const attached = (): void => terminal.remark('watching the guest; Ctrl-C ends it');
  const fetching = options.fetch ? (told: string): void => terminal.remark(told) : undefined;
  terminal.remark('starting a guest, which takes some seconds …');
  return untilInterrupted(how, (stop) =>
    showingProgress(terminal, () =>
      watchGuest(
        {
          ...{ modules: options.module, files: options.guestFile, fetching, stop },
          ...{ kernelImage: options.kernelImage, workload: options.workload, kvm: options.kvm },
        },
        { ...how, stop, attached },
      ),
    ),
  );
}

/** For what does not end by Ctrl-C as a program of ours does. */
async function untilInterrupted(
  { settings }: WatchProcessOptions,
  watchUntil: (stop: AbortSignal) => Promise<WatchedRun>,
): Promise<WatchedRun | NotWatched> {
  const early = new EarlyEnd({ signals: ALL_SIGNALS });
  const end = new AbortController();
  early.stop.addEventListener('abort', () => end.abort());
  const letGoOfKeys = followKeys(settings, () => end.abort());
  try {
    const watched = await watchUntil(end.signal);
    return { ...watched, interruptedBy: early.signal };
  } catch (error) {
    if (!(error instanceof GuestGivenUp)) throw error;
    return { interruptedBy: early.signal };
  } finally {
    letGoOfKeys();
    early.stopListening();
  }
}

function tell(
  watched: WatchedRun | NotWatched,
  options: WatchOptions,
  terminal: Terminal,
): Outcome {
  const { interruptedBy } = watched;
  if (!('report' in watched)) {
    terminal.warn('ended before the guest was ready: nothing was watched');
    return interruptedBy === undefined ? { status: ExitStatus.clean } : { signal: interruptedBy };
  }
  const { run, report } = watched;
  if (interruptedBy !== undefined) {
    terminal.warn(
      `interrupted by ${signalName(interruptedBy)}: what was caught until then is in ${run.name}`,
    );
  } else terminal.remark(`the report is in ${run.name}`);
  // What it prints is seen nowhere else.
  if (options.qemu && watched.end?.code)
    terminal.warn(
      `the workload ended with status ${watched.end.code}; what it said is in ${run.name}/console.txt`,
    );
  const status = present(report, options, terminal);
  const isTextShown = options.json !== '-' && options.sarif !== '-';
  if (watched.kcsan !== undefined && isTextShown) process.stdout.write(watched.kcsan);
  if (interruptedBy !== undefined) return { signal: interruptedBy };
  // Nobody knows what else would have been caught: the report has a warning that says why.
  if (watched.end?.lostBecause !== undefined) return { status: ExitStatus.unavailable };
  return status;
}

function settingsOf(options: WatchOptions): WatchSettings {
  const { rate, functions, qemu, gdb } = options;
  const windowMs = options.window ?? (qemu || gdb ? USUAL_WINDOW_IN_GUEST_MS : USUAL_WINDOW_MS);
  if (functions === undefined) return { rate, windowMs, functions: undefined };
  const pattern = tryTo(() => new RegExp(functions));
  if (pattern.ok) return { rate, windowMs, functions: pattern.value };
  throw new UserError(
    `--functions ${functions} is no regular expression`,
    "quote it, and escape characters such as ( and [: '^queue_(push|pop)$'",
  );
}

function suspectsIn(file: string | undefined): Suspect[] {
  if (file === undefined) return [];
  const text = tryTo(() => readFileSync(encodeBytes(file), 'utf8'));
  if (text.ok) return parseSuspects(text.value, file);
  throw new UserError(
    `cannot read the addresses in ${file}: ${text.error.message}`,
    'check the name of the file',
  );
}

/** It is told in the report, for those who want the same order again. */
const newSeed = (): number => Math.floor(Math.random() * 1e9);
