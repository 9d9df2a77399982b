/**
 * Proves a race: runs the program again until both threads stand before their accesses at the same moment, about
 * to touch the same bytes.
 *
 *   const result = await standOff({ program, folder }, schedule, { sides, variable }, limits);
 *   result.kind === 'confirmed' ? result.sides[0].stack : result.reason
 *
 * The program has its own stdin, stdout and stderr, and runs to its own end, unless that takes too long. A few
 * attempts are made, since sleeps and what comes from outside differ; each uses what the last one has shown. Where
 * a schedule was left, or took too long to follow, the next attempt does without it: in a server that takes its
 * lock a million times, whoever comes first is held, and the other soon comes as well.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { awaiting } from '../../base/resting.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { ImageFiles } from '../../debugger/loaded-images.ts';
import { openAgentChannel } from '../../linux/agent-channel.ts';
import { AgentOption } from '../../linux/agent-protocol.ts';
import { type AgentScheduleFile, writeAgentSchedule } from '../../linux/agent-schedule.ts';
import { ChildWatch } from '../../linux/child-watch.ts';
import { Interruption } from '../../linux/interruption.ts';
import { withVariables } from '../../linux/run-program.ts';
import type { UntracedProgram } from '../../linux/start-untraced.ts';
import { readImageFile } from '../../preload/image-file.ts';
import { type AttemptResult, type AttemptSetup, attempt, INTERRUPTED } from './attempt.ts';
import { Gate } from './gate.ts';
import type { Outcome } from './meeting.ts';
import { RunControl } from './run-control.ts';
import type { Schedule } from './schedule.ts';
import type {
  CodePlace,
  MissedCause,
  RacingSides,
  StandOffLimits,
  StandOffResult,
} from './side.ts';
import { WantedAddresses } from './wanted-addresses.ts';

export interface StandOffProgram {
  readonly program: UntracedProgram;
  /** A folder of our own, for the agent's files while the program runs; made and removed here. */
  readonly folder: string;
}

/** Nothing else would come of it if it were tried again. */
const FINAL: ReadonlySet<MissedCause> = new Set(['not-loaded', 'impossible']);
/** The schedule could not be followed to its end. */
const UNFOLLOWED: ReadonlySet<MissedCause> = new Set(['diverged', 'too-long']);
const CHANNEL_BYTES = 1 << 20;

type Missed = Extract<Outcome, { kind: 'missed' }>;

export async function standOff(
  target: StandOffProgram,
  schedule: Schedule | undefined,
  race: RacingSides,
  limits: StandOffLimits,
): Promise<StandOffResult> {
  const { program } = target;
  const traced = withRealPaths(race);
  const wanted = new WantedAddresses();
  const shown = new Set([program.path, ...traced.sides.map(({ code }) => code.path)]);
  const files = new ImageFiles((path) => shown.has(path));
  const control = new RunControl();
  // Before it starts: a Ctrl-C then is the program's, and not the end of us.
  const interruption = new Interruption(control, program.inheritance.ignoredSignals);
  let isFree = schedule === undefined;
  let left: Missed | undefined;
  try {
    for (let attempts = 1; ; attempts++) {
      const setup = { race: traced, wanted, files, limits, control };
      const { outcome, end } = await oneAttempt(target, isFree ? undefined : schedule, setup);
      if (outcome.kind === 'confirmed') return { ...outcome, attempts, end };
      // Ctrl-C reaches the program as well, which may have ended before we have heard of it.
      await setImmediate();
      const { interruptedBy } = control;
      if (interruptedBy !== undefined) {
        const cause = 'interrupted';
        return { kind: 'missed', cause, reason: INTERRUPTED, attempts, interruptedBy };
      }
      const isLast = FINAL.has(outcome.cause) || attempts >= limits.attempts;
      // Why the schedule could not be followed says more than why nobody met without it.
      if (isLast) return { ...(isFree ? (left ?? outcome) : outcome), attempts, interruptedBy };
      left = !isFree && UNFOLLOWED.has(outcome.cause) ? outcome : undefined;
      isFree = schedule === undefined || left !== undefined;
    }
  } finally {
    interruption.stopListening();
  }
}

async function oneAttempt(
  { program, folder }: StandOffProgram,
  schedule: Schedule | undefined,
  setup: Omit<AttemptSetup, 'program' | 'gate'>,
): Promise<AttemptResult> {
  const watch = new ChildWatch();
  mkdirSync(encodeBytes(folder), { recursive: true });
  const options = schedule === undefined ? 0 : AgentOption.DH_OPTION_SCHEDULE;
  const channel = openAgentChannel(folder, CHANNEL_BYTES, options);
  let file: AgentScheduleFile | undefined;
  try {
    file = schedule && writeAgentSchedule(folder, schedule, deadline(setup.limits));
    const gate = file && schedule && new Gate(file, schedule);
    const environment = withVariables(program.environment, channel.environment);
    const work = attempt({ ...setup, gate, program: { ...program, environment } });
    return await awaiting(work, (milliseconds) => watch.rest(milliseconds));
  } finally {
    file?.close();
    channel.close();
    watch.close();
    void tryTo(() => rmSync(encodeBytes(folder), { recursive: true, force: true }));
  }
}

/** When gates open by themselves, whatever we do: when a run must be over. */
const deadline = ({ runMs }: StandOffLimits): bigint =>
  process.hrtime.bigint() + BigInt(Math.ceil(runMs)) * 1_000_000n;

/** As the kernel names them; throws if one is not the file that was traced. */
function withRealPaths({ sides, variable, atomics = [] }: RacingSides): RacingSides {
  const known = new Map<string, string>();
  const real = (code: CodePlace): CodePlace => {
    const path = known.get(code.path) ?? checkedPath(code);
    known.set(code.path, path);
    return { ...code, path };
  };
  const [one, other] = sides;
  return {
    sides: [
      { ...one, code: real(one.code) },
      { ...other, code: real(other.code) },
    ],
    variable:
      variable?.path === undefined
        ? variable
        : { ...variable, path: known.get(variable.path) ?? variable.path },
    atomics: atomics.map((step) => ({ ...step, code: real(step.code) })),
  };
}

function checkedPath({ path, buildId }: CodePlace): string {
  const file = tryTo(() => readImageFile(path));
  if (file.ok && file.value.key === buildId) return file.value.path;
  const found = file.ok ? 'it has been built anew since' : file.error.message;
  throw new UserError(
    `the program is not the one that was traced: '${printable(path)}': ${found}`,
    "run 'deadheat trace' again",
  );
}
