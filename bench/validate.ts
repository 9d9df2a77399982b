/**
 * What it costs to prove races:
 *
 *   race      one race of an example, beside the time that the example takes while it is recorded
 *   branch    making an execution branch, told apart from what all branches of a recording share
 *   replay    a build in its recorded order, beside the native one, taking turns
 *   build     from the start of the command to the proof that a build lacks a prerequisite
 *
 * `npm run bench -- validate build` measures only that row; all of them take a few minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { tryTo } from '../src/base/result.ts';
import { buildTimeline } from '../src/procs/detect/timeline.ts';
import { tellAsked } from './asked.ts';
import { timeBranches } from './branches.ts';
import { buildRecording } from './build-recording.ts';
import { type Lack, writeProject } from './c-project.ts';
import { exampleNames, runExample } from './example-runs.ts';
import { markdownTable } from './markdown-table.ts';
import { chosen, eachOnItsOwn, median } from './measure.ts';
import { type Sample, TIMED, timed } from './timed-command.ts';
import { triedRaces, type ValidatedRun, validatedRun } from './validated-run.ts';

const ROWS: Readonly<Record<string, () => void>> = { race, branch, replay, build };

export async function run(words: readonly string[]): Promise<void> {
  await eachOnItsOwn(chosen(Object.keys(ROWS), words), (row) => ROWS[row]!());
}

const EXAMPLE_BUDGET = '3s';
const TIMES_RECORDED = 2;
const FURTHER_MS = 150;

/** Examples with many races count no more than others: each stands for its median. */
function race(): void {
  const allowed = (recordedMs: number): number => TIMES_RECORDED * recordedMs + FURTHER_MS;
  const examples = exampleNames().flatMap((name) => {
    const { validation, recordedMs } = runExample(name, EXAMPLE_BUDGET);
    const races = triedRaces(validation);
    if (races.length === 0) return [];
    const tookMs = median(races.map((one) => one.milliseconds));
    const attempts = median(races.map((one) => one.attempts));
    return [{ name, recordedMs, tookMs, attempts }];
  });
  const rows = examples.map(({ name, recordedMs, tookMs, attempts }) => ({
    example: name,
    recorded: shown(recordedMs),
    'a race': shown(tookMs),
    runs: attempts,
    'of what is asked': (tookMs / allowed(recordedMs)).toFixed(2),
  }));
  console.log(`\n${markdownTable(rows)}\n`);
  const typical = (what: 'recordedMs' | 'tookMs' | 'attempts'): number =>
    median(examples.map((one) => one[what]));
  const ratio = median(examples.map(({ recordedMs, tookMs }) => tookMs / allowed(recordedMs)));
  tell(
    `one race, median of ${examples.length} examples; ${availableParallelism()} processors, the jobs that there are by default`,
    `at most ${TIMES_RECORDED} x the recorded run + ${FURTHER_MS} ms (of ${shown(typical('recordedMs'))}: ${shown(allowed(typical('recordedMs')))})`,
    `${shown(typical('tookMs'))} in ${typical('attempts')} runs; ${ratio.toFixed(2)} of what is asked`,
    ratio <= 1,
  );
}

const CALLS = 5000;
const CALLS_PER_PROCESS = 100;
const BRANCH_ROUNDS = 15;
const LONGEST_BRANCH_MS = 20;

function branch(): void {
  const records = buildRecording(CALLS, CALLS / CALLS_PER_PROCESS);
  const timeline = buildTimeline(records, '/build');
  const rounds = Array.from({ length: BRANCH_ROUNDS }, () => timeBranches(records, timeline));
  const once = median(rounds.map(({ onceMs }) => onceMs));
  const each = rounds.flatMap(({ eachMs }) => eachMs);
  tell(
    `a branch, ${CALLS} calls of ${CALLS / CALLS_PER_PROCESS} processes`,
    `less than ${LONGEST_BRANCH_MS} ms`,
    `${median(each).toFixed(2)} ms, and ${once.toFixed(1)} ms once for all branches; ` +
      `medians of ${BRANCH_ROUNDS} rounds, ${each.length / BRANCH_ROUNDS} races; ` +
      `in the first round ${rounds[0]!.eachMs[0]!.toFixed(2)} ms and ${rounds[0]!.onceMs.toFixed(1)} ms`,
    median(each) < LONGEST_BRANCH_MS,
  );
}

const REPLAYED_FILES = 40;
const REPLAY_ROUNDS = 5;
const MOST_TIMES_NATIVE = 5;
const BUILD = ['make', '-s', '-j2', '-B'];
const RUN = '.deadheat/build';
const LAUNCHER = join(process.cwd(), 'deadheat');

/**
 * In two folders, since the recorded build is to find none of the files that the native one leaves. Each
 * round has a recording of its own; a replay that goes astray has no time, but is counted.
 */
function replay(): void {
  inProjects([REPLAYED_FILES, REPLAYED_FILES], (native, recorded) => {
    const natives: Sample[] = [];
    const replays: Sample[] = [];
    for (let round = 0; round < REPLAY_ROUNDS; round++) {
      const run = `${RUN}-${round}`;
      timed([LAUNCHER, 'record', '-q', '-o', run, '--', ...TIMED, ...BUILD], recorded!);
      natives.push(timed([...TIMED, ...BUILD], native!));
      const replayed = tryTo(() => timed([LAUNCHER, 'replay', '-q', run], recorded!));
      if (replayed.ok) replays.push(replayed.value);
    }
    const ratio = (what: keyof Sample): number =>
      median(replays.map((one) => one[what])) / median(natives.map((one) => one[what]));
    const typical = (samples: readonly Sample[]): string =>
      shown(median(samples.map(({ running }) => running)));
    tell(
      `a replay of make -j2, ${REPLAYED_FILES} C files`,
      `at most ${MOST_TIMES_NATIVE} x native (${typical(natives)})`,
      replays.length > 0
        ? `${ratio('running').toFixed(2)} x (${typical(replays)}); the whole command ${ratio('whole').toFixed(2)} x; ` +
            `medians of ${replays.length} replays, ${REPLAY_ROUNDS - replays.length} more went astray`
        : `all of ${REPLAY_ROUNDS} replays went astray`,
      replays.length > 0 && ratio('running') <= MOST_TIMES_NATIVE,
    );
  });
}

const BUILT_FILES = 200;
const HEADER = 'offset.h';
const BUILD_BUDGET = '2m';
const LONGEST_PROOF_MS = 120_000;
/** A recording of a build that has failed already proves nothing. */
const MOST_RECORDINGS = 3;

function build(): void {
  const { wholeMs, validation, report, recordedMs } = goodBuild();
  const isIt = ({ verdict, object }: (typeof report.races)[number]): boolean =>
    verdict === 'harmful' && object.name.endsWith(`/${HEADER}`);
  const place = report.races.findIndex(isIt);
  const proven = report.races[place];
  const figures = proven && validation.races[proven.id];
  const afterMs = figures && wholeMs - validation.milliseconds + figures.after;
  tell(
    `make -j2 of ${BUILT_FILES} C files that lacks a prerequisite, ${availableParallelism()} processors`,
    `proven in less than ${shown(LONGEST_PROOF_MS)}`,
    proven && afterMs !== undefined
      ? `${shown(afterMs)} after the start, as ${proven.id}, number ${place + 1} of ${report.races.length} in the report; ` +
          `the recorded build took ${shown(recordedMs)}, the whole command ${shown(wholeMs)}`
      : `not proven in ${shown(wholeMs)}; the recorded build ended with ${JSON.stringify(report.exit)}; ${whatCame({ validation, report })}`,
    afterMs !== undefined && afterMs < LONGEST_PROOF_MS,
  );
}

/**
 * Where the time went, since the run itself is gone by then: an order that hangs, races that were tried first, and
 * attempts that went astray look the same from outside.
 *
 *   its order once more took 12.3 s; R1 offset.h: detected; D1: benign, 2 runs, 42.5 s
 */
function whatCame({ validation, report }: Pick<ValidatedRun, 'validation' | 'report'>): string {
  const { recordedOrder, races } = validation;
  const untried = report.races.filter(({ id }) => !races[id]);
  return [
    recordedOrder === undefined
      ? 'its order was not run once more to its end'
      : `its order once more took ${shown(recordedOrder)}`,
    ...untried.map(({ id, object, verdict }) => `${id} ${basename(object.name)}: ${verdict}`),
    ...Object.entries(races).map(
      ([id, one]) => `${id}: ${one.verdict}, ${one.attempts} runs, ${shown(one.milliseconds)}`,
    ),
    ...(report.warnings ?? []),
  ].join('; ');
}

function goodBuild(): ValidatedRun {
  for (let recording = 1; ; recording++) {
    let done: ValidatedRun | undefined;
    inProjects(
      [BUILT_FILES],
      (folder) => {
        done = validatedRun(folder!, ['--budget', BUILD_BUDGET], ['make', '-s', '-j2']);
      },
      { generatedHeader: HEADER },
    );
    if (done!.report.exit?.code === 0 || recording === MOST_RECORDINGS) return done!;
  }
}

function inProjects(
  sizes: readonly number[],
  act: (...folders: readonly string[]) => void,
  lack?: Lack,
): void {
  const folders = sizes.map((size) => {
    const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
    writeProject(folder, size, lack);
    return folder;
  });
  try {
    act(...folders);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

function shown(time: number): string {
  return time < 10_000 ? `${time.toFixed(0)} ms` : `${(time / 1000).toFixed(1)} s`;
}

function tell(what: string, asked: string, found: string, isMet: boolean): void {
  tellAsked([{ what, asked, found, isMet }]);
}
