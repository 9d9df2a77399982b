/** The options of `sample` that say when samples are taken. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UserError } from '../base/user-error.ts';
import type { WantedPeriod } from '../sample/choose-event.ts';
import type { WindowTimes } from '../sample/windows.ts';
import { duration } from './common-options.ts';

export interface SamplingOptions {
  period?: WantedPeriod;
  /** A share. */
  budget?: number;
  window?: number;
  every?: number;
  stacks?: true;
  dormant?: true;
  maxLog: number;
}

export const USUAL_SHARE = 0.02;
const USUAL_LOG = 4 * 2 ** 30;

export function addSamplingOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--period <n>',
        'a sample about every 10ms or 500us of processor time, or every N instructions',
      )
        .argParser(period)
        .conflicts('budget'),
    )
    .addOption(
      new Option(
        '--budget <percent>',
        'as many samples as cost this much of the processor time (default: 2%)',
      ).argParser(percent),
    )
    .addOption(
      new Option('--window <time>', 'sample only for so long, again and again: 10s').argParser(
        duration,
      ),
    )
    .addOption(
      new Option('--every <time>', 'with --window: how often, as in 10m').argParser(duration),
    )
    .option('--stacks', 'keep with each sample who called the function (needs frame pointers)')
    .addOption(
      new Option('--dormant', 'be there, but do not sample until told to (see below)').conflicts(
        'window',
      ),
    )
    .addOption(
      new Option('--max-log <size>', 'log no more than that, as in 500M or 10G')
        .argParser(size)
        .default(USUAL_LOG, '4G'),
    );
}

export function windowsOf({ window, every }: SamplingOptions): WindowTimes | undefined {
  if (window === undefined && every === undefined) return undefined;
  if (window === undefined || every === undefined) {
    throw new UserError(
      window === undefined ? '--every is about windows' : '--window needs to know how often',
      window === undefined ? 'add --window, as in --window 10s' : 'add --every, as in --every 10m',
    );
  }
  if (window < every) return { lengthMs: window, everyMs: every };
  throw new UserError(
    'the windows of --window would never end before the next one begins',
    'give --every a longer time than --window',
  );
}

const NANOSECONDS: Record<string, number> = { us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };
const LONGEST_NS = 60e9;

function period(text: string): WantedPeriod {
  const [, digits = '', unit] = /^(\d+(?:\.\d+)?)(us|µs|ms|s)?$/.exec(text) ?? [];
  const number = Number(digits);
  const ns = number * (unit === undefined ? 1 : NANOSECONDS[unit]!);
  if (ns >= 1 && ns <= LONGEST_NS) {
    return unit === undefined ? { instructions: Math.round(ns) } : { ns: Math.round(ns) };
  }
  throw new InvalidArgumentError(
    'It is a time, such as 10ms or 500us, or a number of instructions.',
  );
}

function percent(text: string): number {
  const [, digits = ''] = /^(\d+(?:\.\d+)?)%?$/.exec(text) ?? [];
  const share = Number(digits) / 100;
  if (share > 0 && share <= 1) return share;
  throw new InvalidArgumentError('It is a percentage, such as 2%.');
}

const BYTES: Record<string, number> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };
/** Less would hold no more than the first part of a few threads' logs. */
const SMALLEST_LOG = 2 ** 20;

function size(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)B?$/i.exec(text) ?? [];
  const bytes = Math.round(Number(digits) * (BYTES[unit.toUpperCase()] ?? 0));
  if (bytes >= SMALLEST_LOG) return bytes;
  throw new InvalidArgumentError('It is a size of 1M or more, such as 500M or 10G.');
}
