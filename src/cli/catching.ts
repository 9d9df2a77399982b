/**
 * `analyze --confirm`: predicted races are handed to `watch`, which looks at both places of each again and again, in
 * a further run of the program or in a process that runs. What it catches in the act is confirmed:
 *
 *   predicted   counter at pool.c:24 and pool.c:31      suspects: pool+0x1136, pool+0x11a2
 *   confirmed   watchpoint: main stored 4 bytes at counter while worker stood before its load; …
 */
import { basename, join } from 'node:path';
import { printable } from '../base/bytes.ts';
import { tellingSeconds } from '../base/telling-seconds.ts';
import { UserError } from '../base/user-error.ts';
import { furtherRun } from '../linux/further-run.ts';
import { pid } from '../linux/ids.ts';
import { prepareProgram } from '../linux/prepare-program.ts';
import { keptReport } from '../report/kept-report.ts';
import type { Race, Report, Site } from '../report/model.ts';
import { ownImages, sampledRecords } from '../sample/own-images.ts';
import { requireSameBuild } from '../sample/same-build.ts';
import type { Run } from '../trace/run-directory.ts';
import type { Found } from '../watch/caught-races.ts';
import { USUAL_WINDOW_MS } from '../watch/settings.ts';
import { parseSuspects, type Suspect } from '../watch/suspects.ts';
import { watchCommand, watchProcess } from '../watch/watch-process.ts';
import type { WatchedRun } from '../watch/watch-run.ts';
import type { AnalyzeOptions } from './commands/analyze.ts';
import { goWhereItRan } from './confirming.ts';
import { ALL_SIGNALS, EarlyEnd } from './early-end.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Both places are known beforehand, so that it may look often. */
const RATE = 200;

export interface Caught {
  readonly report: Report;
  /** The signal by which the user asked for the end. */
  readonly interruptedBy: number | undefined;
}

/** `run`: whose program is run again, and where the watching leaves what it found. */
export async function catchInTheAct(
  run: Run,
  report: Report,
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<Caught> {
  const predicted = report.races.filter(({ verdict }) => verdict === 'predicted');
  if (predicted.length === 0) return { report, interruptedBy: undefined };
  const evidence = new Map<Race, string>();
  const done = new AbortController();
  const found = async (_: unknown, caught: Found): Promise<void> => {
    for (const race of predicted) {
      if (!evidence.has(race) && isSame(race, caught)) evidence.set(race, caught.evidence ?? '');
    }
    if (evidence.size === predicted.length) done.abort();
  };
  if (options.pid === undefined) requireInSight(run, predicted, terminal);
  terminal.remark(
    `watching ${predicted.length === 1 ? 'the race' : `${predicted.length} races`} for up to ${options.duration / 1000} s …`,
  );
  const how = {
    ...{ version, found, seed: 1, suspects: suspectsOf(predicted), also: librariesOf(predicted) },
    settings: { rate: RATE, windowMs: USUAL_WINDOW_MS, functions: undefined },
    ...{ durationMs: options.duration, output: nextFolder(run), stop: done.signal },
  };
  const { interruptedBy } = await showingProgress(terminal, () =>
    tellingSeconds(
      () => `seconds watched, ${evidence.size} of ${predicted.length} caught`,
      options.duration,
      async () =>
        options.pid === undefined ? inFurtherRun(run, how, terminal) : inProcess(options.pid, how),
    ),
  );
  terminal.remark(`${evidence.size} of ${predicted.length} caught in the act`);
  const races = report.races.map((race) => confirmedBy(race, evidence.get(race)));
  const confirmed = keptReport({ ...report, races }, (text) => run.saveReport(text));
  return { report: confirmed, interruptedBy };
}

/** Of a command that starts another, such as timeout, nobody watches the other. */
function requireInSight(run: Run, races: readonly Race[], terminal: Terminal): void {
  const own = new Set([...ownImages(sampledRecords(run))].map((path) => basename(path)));
  const modulesOf = (race: Race): string[] =>
    sitesOf([race]).flatMap(({ module }) => (module === undefined ? [] : [basename(module)]));
  const outOfSight = races.filter((race) => {
    const modules = modulesOf(race);
    return modules.length > 0 && !modules.some((module) => own.has(module));
  });
  if (outOfSight.length === 0) return;
  const command = printable(basename(run.info.command[0] ?? ''));
  const where = printable([...new Set(outOfSight.flatMap(modulesOf))].join(' and '));
  const which = outOfSight.length === races.length ? 'they' : `${outOfSight.length} of them`;
  const message = `${which} are in ${where}, which a process runs that ${command} starts; only ${command} itself would be watched`;
  const remedy = `sample ${where} without ${command} ('deadheat sample --duration 10s -- ./${where}'), or start it and give its number with --pid`;
  if (outOfSight.length === races.length) throw new UserError(message, remedy);
  terminal.warn(`${message}; ${remedy}`);
}

type How = Parameters<typeof watchCommand>[1];

async function inFurtherRun(run: Run, how: How, terminal: Terminal): Promise<WatchedRun> {
  goWhereItRan(run);
  requireSameBuild(run);
  const { command } = run.info;
  const further = furtherRun(prepareProgram(command));
  if (further.lacksInput) {
    terminal.warn("the program's input came from a pipe: it is empty when races are watched for");
  }
  try {
    return await watchCommand(command, { ...how, program: further.program });
  } finally {
    further.close();
  }
}

async function inProcess(number: number, how: How): Promise<Pick<WatchedRun, 'interruptedBy'>> {
  const early = new EarlyEnd({ signals: ALL_SIGNALS });
  const stop = AbortSignal.any([early.stop, ...(how.stop ? [how.stop] : [])]);
  try {
    await watchProcess(pid(number), { ...how, stop, attached: () => {} });
    return { interruptedBy: early.signal };
  } finally {
    early.stopListening();
  }
}

function confirmedBy(race: Race, evidence: string | undefined): Race {
  if (evidence === undefined) return race;
  const sampled = race.evidence === undefined ? '' : `\nsampled before: ${race.evidence}`;
  return { ...race, verdict: 'confirmed', evidence: `caught in the act: ${evidence}${sampled}` };
}

const sitesOf = (races: readonly Race[]): Site[] =>
  races.flatMap(({ accesses }) => accesses.map(({ site }) => site));

/** `libqueue.so+0x1136`, as `watch --addresses` has it. */
function suspectsOf(races: readonly Race[]): Suspect[] {
  const lines = sitesOf(races).flatMap(({ module, address }) =>
    module === undefined || address === undefined ? [] : [`${basename(module)}+${address}`],
  );
  return parseSuspects([...new Set(lines)].join('\n'), 'the report');
}

const librariesOf = (races: readonly Race[]): string[] => {
  const modules = sitesOf(races).flatMap(({ module }) => (module === undefined ? [] : [module]));
  return [...new Set(modules)].filter((module) => /\.so(\.|$)/.test(module));
};

/** The same two lines, or instructions where lines are not known, in whichever order. */
export function isSame(race: Pick<Race, 'accesses'>, other: Pick<Race, 'accesses'>): boolean {
  const key = ({ accesses }: Pick<Race, 'accesses'>): string =>
    accesses
      .map(({ site }) => sideOf(site))
      .sort()
      .join(' ');
  return key(race) === key(other);
}

const sideOf = ({ file, line, module, address }: Site): string =>
  file === undefined || line === undefined
    ? `${basename(module ?? '')} ${address}`
    : `${basename(file)}:${line}`;

/** Each attempt leaves a run of its own in that of the samples. */
const nextFolder = (run: Run): string => join(run.path, `watched-${Date.now()}`);
