/** What `watch` tells the user, and how it exits because of it. */
import { readFileSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { pid } from '../linux/ids.ts';
import { signalName } from '../linux/signals.ts';
import { ControlFile } from '../watch/control-file.ts';
import type { WatchSettings } from '../watch/settings.ts';
import { parseSuspects, type Suspect } from '../watch/suspects.ts';
import {
  type WatchedRun,
  type WatchProcessOptions,
  watchCommand,
  watchProcess,
} from '../watch/watch-process.ts';
import type { WatchOptions } from './commands/watch.ts';
import { EarlyEnd } from './early-end.ts';
import { liveFigures } from './live-figures.ts';
import type { Outcome } from './outcome.ts';
import { present } from './present.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';
import { followKeys } from './watch-keys.ts';

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
    onlooker: (view) => liveFigures(view, settings, terminal, options.verbose ?? false),
  };
  control?.follow();
  try {
    const watched =
      options.pid === undefined
        ? await watchCommand(command, how)
        : await watchRunning(options.pid, how, terminal);
    return tell(watched, options, terminal);
  } finally {
    control?.close();
  }
}

async function watchRunning(
  number: number,
  how: WatchProcessOptions,
  terminal: Terminal,
): Promise<WatchedRun> {
  const early = new EarlyEnd();
  const end = new AbortController();
  early.stop.addEventListener('abort', () => end.abort());
  const attached = (): void =>
    terminal.remark(`watching process ${number}; Ctrl-C ends it, and lets the process go`);
  const letGoOfKeys = followKeys(how.settings, () => end.abort());
  try {
    const watched = await watchProcess(pid(number), { ...how, stop: end.signal, attached });
    return { ...watched, interruptedBy: early.signal };
  } finally {
    letGoOfKeys();
    early.stopListening();
  }
}

function tell(watched: WatchedRun, options: WatchOptions, terminal: Terminal): Outcome {
  const { run, report, interruptedBy } = watched;
  if (interruptedBy !== undefined) {
    terminal.warn(
      `interrupted by ${signalName(interruptedBy)}: what was caught until then is in ${run.name}`,
    );
  } else terminal.remark(`the report is in ${run.name}`);
  const status = present(report, options, terminal);
  return interruptedBy === undefined ? status : { signal: interruptedBy };
}

function settingsOf({ rate, window: windowMs, functions }: WatchOptions): WatchSettings {
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
