/** What `sample` tells the user about a program that it has run, and how it exits because of it. */
import { printable } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { Signal, signalName } from '../linux/signals.ts';
import { type ChosenEvent, periodText } from '../sample/choose-event.ts';
import { type SampledProgram, sampleProgram } from '../sample/sample-program.ts';
import { hooksOverBudget, samplingProblems } from '../sample/sampling-problems.ts';
import type { WindowTimes } from '../sample/windows.ts';
import type { Run } from '../trace/run-directory.ts';
import type { SampleOptions } from './commands/sample.ts';
import { counted } from './counted.ts';
import type { Outcome } from './outcome.ts';
import { USUAL_SHARE } from './sampling-options.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

type Options = SampleOptions & { readonly windows: WindowTimes | undefined };

export async function sampleAndTell(
  command: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<Outcome> {
  const { period, budget, windows, output, duration: durationMs, maxLog: maxLogBytes } = options;
  const share = period === undefined ? (budget ?? USUAL_SHARE) : undefined;
  const sampled = await sampleProgram(command, {
    ...{ version, period, share, windows, output, durationMs, maxLogBytes },
    ...{ stacks: options.stacks ?? false, dormant: options.dormant ?? false },
    started: (run, event) => tellOfStart(run, event, options, terminal),
  });
  tellOfEnd(sampled, options, terminal);
  requireSomething(sampled);
  tellOfSamples(sampled, options, terminal);
  const own = ownEnd(sampled.ran);
  // Whoever interrupts the program wants no more of it.
  if (!options.analyze || sampled.ran.interruptedBy !== undefined) return own;
  const { analyzed } = await import('./analyzing.ts');
  const { present } = await import('./present.ts');
  const report = await analyzed([sampled.run], { symbols: [] }, terminal);
  const found = present(report, options, terminal);
  return found.status === 0 ? own : found;
}

function tellOfStart(
  run: Run,
  event: ChosenEvent,
  { dormant }: SampleOptions,
  terminal: Terminal,
): void {
  if (event.shortcoming !== undefined) terminal.warn(event.shortcoming);
  else if (event.isForbidden) terminal.remark(`sampling goes by ${event.kind}: ${event.why}`);
  if (dormant) {
    terminal.remark(
      `the program of ${run.name} is not sampled until 'deadheat sample --pid PID start' says so`,
    );
  }
}

function ownEnd({ end, killed, interruptedBy, timeIsUp }: SampledProgram['ran']): Outcome {
  if (interruptedBy !== undefined && killed) return { signal: interruptedBy };
  // That our own signal ended it is no failure.
  const wasEnded = killed || ('signal' in end && end.signal === Signal.SIGINT);
  return timeIsUp && wasEnded ? { status: 0 } : end;
}

function tellOfEnd(
  { run, ran: { interruptedBy }, executable, script, unwritten }: SampledProgram,
  { analyze }: SampleOptions,
  terminal: Terminal,
): void {
  if (interruptedBy !== undefined) {
    const rest = analyze ? `; 'deadheat analyze ${run.name}' has not been done` : '';
    terminal.warn(
      `interrupted by ${signalName(interruptedBy)}: the program has ended; ` +
        `what was sampled until then is kept in ${run.name}${rest}`,
    );
  }
  if (unwritten !== undefined) {
    terminal.warn(`${run.name} does not say how it was sampled to its end: ${unwritten}`);
  }
  if (script !== undefined) {
    terminal.remark(
      `${printable(script)} is a script; sampled is what runs it, ${printable(executable)}, and what it starts`,
    );
  }
}

/** No samples must not look like a program without races. */
function requireSomething({ records, executable }: SampledProgram): void {
  if (records.some(({ kind }) => kind === 'hello')) return;
  throw new UserError(
    `nothing of ${printable(executable)} was sampled: the agent was not loaded`,
    "see 'deadheat doctor' for whether the agent works here",
    ExitStatus.unavailable,
  );
}

function tellOfSamples(sampled: SampledProgram, options: SampleOptions, terminal: Terminal): void {
  const { run, info, threads, records, lost } = sampled;
  const samples = info.samples ?? 0;
  for (const problem of [...samplingProblems(records, lost), ...hooksOverBudget(info)]) {
    terminal.warn(problem);
  }
  const are = samples === 1 ? 'is' : 'are';
  const all = threads.reduce((sum, count) => sum + count, 0);
  const where = threads.length > 1 ? ` in ${threads.length} processes` : '';
  terminal.remark(
    `${counted(samples, 'sample')} of ${counted(all, 'thread')}${where} ${are} in ${run.name}, ${howOften(sampled)}`,
  );
  if (all === 0) {
    terminal.remark('no thread ran long enough to be sampled: nothing can be said about races');
  } else if (Math.max(0, ...threads) <= 1) {
    const each = threads.length > 1 ? ' of each process' : '';
    terminal.remark(
      `of only one thread${each} there are samples: without others there is nothing to race with`,
    );
  } else if (samples === 0 && !options.dormant) {
    terminal.warn(
      'no samples were taken: the program has hardly used a processor; let it run longer, under load',
    );
  } else if (samples > 0 && !options.analyze) {
    terminal.remark(`'deadheat analyze ${run.name}' looks for races in them`);
  }
}

/** `by timer, every 4 ms of processor time; this took about 0.3% of it`. */
function howOften({ info }: SampledProgram): string {
  const { lastKind, lastPeriod, event, cost, missed = 0 } = info;
  const [kind, period] = [lastKind ?? event.kind, lastPeriod ?? event.period];
  const took = cost && `; this took about ${percent(cost.ofSamples + cost.ofHooks)} of the time`;
  const lost =
    missed > 0 ? `; ${counted(missed, 'further interrupt')} fell into the agent itself` : '';
  return `by ${kind}, about every ${periodText(kind, period)}${took ?? ''}${lost}`;
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.001 ? 2 : 1)}%`;
