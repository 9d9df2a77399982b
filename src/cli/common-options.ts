/** Options that several commands share: spelled, explained and checked in one place. */
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TerminalOptions } from './terminal.ts';

/** For every command that prints. */
export type DisplayOptions = TerminalOptions;

/** For every command that ends in a report. */
export interface ReportOptions extends DisplayOptions {
  json?: string;
  sarif?: string;
  suppressions?: string;
  verbose?: true;
  errorExitcode: number;
}

/** For the command that makes a page for browsers. */
export interface HtmlOptions {
  html?: string;
  open?: true;
}

/** For every command that makes a run directory. */
export interface RunOptions {
  output?: string;
}

/** For every command that records processes. */
export interface RecordOptions extends RunOptions {
  recorder: 'auto' | 'bpf' | 'ptrace';
  keep?: true;
  inPlace?: true;
  duration?: number;
}

export function addDisplayOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--color <when>', 'colour the output (NO_COLOR is honoured)')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .option('-q, --quiet', 'no progress and no remarks, only results and errors');
}

export function addReportOptions(command: Command): Command {
  return addDisplayOptions(command)
    .option('--json <file>', 'write the report as JSON (- for stdout, instead of text)')
    .option('--sarif <file>', 'write the report as SARIF 2.1.0 (- for stdout, instead of text)')
    .option(
      '-v, --verbose',
      'tell all about each race: stacks, where processes come from, what leads there',
    )
    .option('--suppressions <file>', "leave out known races (ThreadSanitizer's syntax)")
    .addOption(
      new Option('--error-exitcode <status>', 'exit status when races are reported')
        .argParser(exitStatus)
        .default(66),
    );
}

/** For every command that looks for races in a recording. */
export interface DetectionOptions {
  all?: true;
}

export function addDetectionOptions(command: Command): Command {
  return command.option('--all', 'also tell of races that make no difference that can be seen');
}

/** For every command that runs races the other way round. */
export interface ValidationOptions {
  budget?: number;
  timeout?: number;
  check: string[];
  ignoreFiles: string[];
  jobs?: number;
  recursive: number;
}

export function addValidationOptions(command: Command): Command {
  return addTimeoutOption(command, '10 times as long as the first')
    .addOption(
      new Option(
        '--budget <time>',
        'for how long to read the recording and try its races: 90s, 5m, 1h',
      ).argParser(duration),
    )
    .addOption(
      new Option('--check <command>', 'also run this after each run; it fails: the race did harm')
        .argParser(collected)
        .default([], 'none'),
    )
    .addOption(
      new Option('--ignore-files <pattern>', 'files that may differ between runs, such as "*.log"')
        .argParser(collected)
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '-j, --jobs <n>',
        'how many races to try at once, each in a sandbox of its own (default: half as many as processors)',
      ).argParser(jobCount),
    )
    .addOption(
      new Option(
        '--recursive <n>',
        'look for races in the runs of the races that were tried, too, so many times over',
      )
        .argParser(wholeNumber)
        .default(0),
    );
}

/** For every command that predicts races between threads. */
export interface PredictionOptions {
  sound?: true;
  budget: number;
}

export const USUAL_BUDGET_MS = 60_000;

export function addPredictionOptions(command: Command): Command {
  return command
    .option('--sound', 'only races before which every read finds what it found in the traced run')
    .addOption(
      new Option(
        '--budget <time>',
        'for how long to search other orders (and, with threads, to try races): 90s, 5m, 1h',
      )
        .argParser(duration)
        .default(USUAL_BUDGET_MS, '60s'),
    );
}

export function addTimeoutOption(command: Command, otherwise: string): Command {
  return command.addOption(
    new Option(
      '--timeout <time>',
      `how long one run may take before it counts as hung (default: ${otherwise})`,
    ).argParser(duration),
  );
}

export function addRunOptions(command: Command): Command {
  return command.option('-o, --output <dir>', 'run directory (default: .deadheat/<engine>-<n>)');
}

export function addRecordOptions(command: Command): Command {
  return addRunOptions(command)
    .addOption(
      new Option(
        '--recorder <how>',
        'record with eBPF (needs root) or ptrace; auto: the best allowed',
      )
        .choices(['auto', 'bpf', 'ptrace'])
        .default('auto'),
    )
    .addOption(new Option('--keep', 'keep what the program does to files').conflicts('inPlace'))
    .option('--in-place', 'run without the sandbox: files change as the program runs')
    .addOption(
      new Option(
        '--duration <seconds>',
        'end after this time, the program as by Ctrl-C; what was recorded until then is complete',
      ).argParser(seconds),
    );
}

export function addJobsOption(command: Command): Command {
  return command.addOption(
    new Option('-j, --jobs <n>', 'how many runs to work on at once')
      .argParser(jobCount)
      .default(availableParallelism(), 'one per processor'),
  );
}

/** For the help of every command that records. */
export const SANDBOX_DETAILS = `
The program runs in a sandbox: it may change any file, but only it sees that, and your own
files stay as they are. What it changed is left in the run directory. --keep makes it real
at the end, except for files that somebody else has changed meanwhile. --in-place does
without a sandbox. As a plain user, setuid programs have no privileges in it.
`;

const USAGE = '[options] -- COMMAND [ARGUMENT…]';
const TARGET = 'the program to run, with its arguments';

/** `-- CMD…`: everything after the first word that is not ours belongs to the target. */
export function addTarget(command: Command): Command {
  return command.usage(USAGE).argument('<command...>', TARGET).passThroughOptions();
}

/** The same, or a process that runs already. */
export function addTargetOrPid(
  command: Command,
  about = 'record a process that runs already, with all its descendants',
): Command {
  return command
    .usage(`${USAGE} | --pid PID`)
    .argument('[command...]', TARGET)
    .addOption(
      new Option('--pid <pid>', about).argParser(processNumber).conflicts(['keep', 'inPlace']),
    )
    .passThroughOptions();
}

function exitStatus(text: string): number {
  const status = wholeNumber(text);
  if (status > 255) throw new InvalidArgumentError('It is a number from 0 to 255.');
  return status;
}

function jobCount(text: string): number {
  const jobs = wholeNumber(text);
  if (jobs === 0) throw new InvalidArgumentError('It is at least 1.');
  return jobs;
}

export function processNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError('It is the number of a process.');
  return number;
}

/** Longer than a timer can run would end at once. */
const LONGEST_SECONDS = 2_000_000;

function seconds(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (number > 0 && number <= LONGEST_SECONDS) return number;
  throw new InvalidArgumentError(`It is a number of seconds, at most ${LONGEST_SECONDS}.`);
}

const UNITS: Record<string, number> = { '': 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** In milliseconds. */
export function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const milliseconds = Number(number) * (UNITS[unit] ?? 0);
  if (milliseconds > 0 && milliseconds <= LONGEST_SECONDS * 1000) return milliseconds;
  throw new InvalidArgumentError('It is a time, such as 90s or 5m.');
}

/** For options that may be given several times. */
export function collected(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}
