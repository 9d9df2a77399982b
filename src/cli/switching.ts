/**
 * `deadheat sample --pid PID start|stop|status`: sampling is turned on and off in a program that was started with it.
 *
 *   $ deadheat sample --pid 4711 start
 *   deadheat: sampling is on in process 4711 and 2 more of sample-3
 */
import { basename, dirname, join } from 'node:path';
import { printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { pid } from '../linux/ids.ts';
import { ownFolder } from '../linux/own-process.ts';
import { chooseEvent, periodText } from '../sample/choose-event.ts';
import { findControl } from '../sample/find-sampled.ts';
import type { RunningSamples } from '../sample/running-samples.ts';
import { openSamples } from '../sample/samples-folder.ts';
import { runsFolderName } from '../trace/run-names.ts';
import type { SampleOptions } from './commands/sample.ts';
import { counted } from './counted.ts';
import { EarlyEnd } from './early-end.ts';
import type { Outcome } from './outcome.ts';
import type { Terminal } from './terminal.ts';

const ACTIONS = ['start', 'stop', 'status'] as const;
type Action = (typeof ACTIONS)[number];

export async function switchSampling(
  process: number,
  words: readonly string[],
  options: SampleOptions,
  terminal: Terminal,
): Promise<Outcome> {
  const action = actionIn(words);
  requireFitting(action, options);
  const samples = openSamples(findControl(pid(process)));
  const name = runName(samples.folder);
  try {
    if (action === 'status') return tellStatus(samples, name, terminal);
    if (action === 'start' && options.period !== undefined) {
      const event = chooseEvent(options.period);
      if (event.shortcoming !== undefined) terminal.warn(event.shortcoming);
      samples.use(event);
    }
    const reached = samples.switch(action === 'start');
    const others = reached > 1 ? ` and ${reached - 1} more` : '';
    const state = action === 'start' ? 'on' : 'off';
    terminal.remark(`sampling is ${state} in process ${process}${others} of ${name}`);
    if (action === 'stop') terminal.remark(`'deadheat analyze ${name}' looks for races`);
    if (action === 'stop' || options.duration === undefined) return { status: 0 };
    return await stopAfter(options.duration, samples, terminal);
  } finally {
    samples.close();
  }
}

function actionIn(words: readonly string[]): Action {
  const [word, ...rest] = words;
  const action = ACTIONS.find((one) => one === word);
  if (action !== undefined && rest.length === 0) return action;
  throw new UserError(
    word === undefined ? 'what is to be done with --pid?' : `--pid cannot '${words.join(' ')}'`,
    'say start, stop or status, after all options',
  );
}

/** What is decided when a program is started cannot be changed later. */
function requireFitting(action: Action, options: SampleOptions): void {
  const { window, every, stacks, dormant, analyze, output, budget } = options;
  const settled = { window, every, stacks, dormant, analyze, output, budget };
  const onlyForStart = { period: options.period, duration: options.duration };
  const given = (some: object): string | undefined =>
    Object.entries(some).find(([, value]) => value !== undefined)?.[0];
  const wrong = given(settled);
  if (wrong !== undefined) {
    throw new UserError(`--${wrong} is for a program that is started`, 'leave it out with --pid');
  }
  const forStart = action === 'start' ? undefined : given(onlyForStart);
  if (forStart === undefined) return;
  throw new UserError(`--${forStart} is for start`, `leave it out with ${action}`);
}

async function stopAfter(
  milliseconds: number,
  samples: RunningSamples,
  terminal: Terminal,
): Promise<Outcome> {
  const early = new EarlyEnd();
  try {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      early.stop.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    samples.switch(false);
    terminal.remark(
      `sampling is off; 'deadheat analyze ${runName(samples.folder)}' looks for races`,
    );
    return early.signal === undefined ? { status: 0 } : { signal: early.signal };
  } finally {
    early.stopListening();
  }
}

function tellStatus(samples: RunningSamples, name: string, terminal: Terminal): Outcome {
  const { on, missed, logBytes, kind, period } = samples;
  const { samples: taken } = samples.figures();
  const lines = [
    `run        ${printable(name)}`,
    `sampling   ${on ? 'on' : 'off'}`,
    `event      ${kind}, about every ${periodText(kind, period)}`,
    `processes  ${samples.processes().join(', ')}`,
    `samples    ${counted(taken, 'sample')}${missed > 0 ? `, ${missed} missed` : ''}`,
    `logs       ${(logBytes / 2 ** 20).toFixed(1)} MB in ${printable(samples.folder)}`,
  ];
  terminal.print(lines.join('\n'));
  return { status: 0 };
}

/** As the user can call it here. */
function runName(folder: string): string {
  const run = dirname(folder);
  return dirname(run) === join(ownFolder(), runsFolderName) ? basename(run) : run;
}
