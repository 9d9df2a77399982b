/**
 * One run of the program in which two threads are to meet. It is written as work that rests now and then
 * (base/resting.ts), beside timers and signals: Ctrl-C and time limits are seen between two rests.
 *
 *   program starts ─▶ breakpoints ─▶ who comes is held, or passes ─┬─▶ they meet
 *                                                                  ├─▶ nobody can move any more
 *                                                                  └─▶ time is up, the user says so, …
 *   ─▶ nothing of us is left in it ─▶ it goes on to its end, or is ended
 */

import type { Resting } from '../../base/resting.ts';
import { tryTo } from '../../base/result.ts';
import { TracedProcess } from '../../debugger/traced-process.ts';
import { LOG_OP_NAMES } from '../../linux/agent-log.ts';
import { type Tid, tid } from '../../linux/ids.ts';
import type { ProgramEnd } from '../../linux/run-program.ts';
import { runningTree } from '../../linux/running-process.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { type Program, type StartedProgram, startProgram } from '../../linux/start-traced.ts';
import { ignoringTheDead, nextStopWithin } from '../../linux/tracee-stop.ts';
import { hasChildren, parseWaitStatus } from '../../linux/wait.ts';
import { Meeting, type MeetingSetup, type Outcome } from './meeting.ts';
import {
  comingsText,
  divergenceText,
  endText,
  givenUpText,
  placeName,
  sleepersText,
  threadName,
} from './reasons.ts';
import type { RunControl } from './run-control.ts';
import type { MissedCause, StandOffLimits } from './side.ts';
import { StallWatch } from './stall-watch.ts';

export interface AttemptSetup extends MeetingSetup {
  /** With the agent. */
  readonly program: Program;
  readonly limits: StandOffLimits;
  readonly control: RunControl;
}

export interface AttemptResult {
  readonly outcome: Outcome;
  readonly end: ProgramEnd;
}

export const INTERRUPTED = 'the user ended it';

/** So long we wait for a stop without resting: most come in quick succession. */
const BLOCK_MS = 0.5;
/** So often all else is looked at. */
const LOOK_MS = 20;
/** While somebody waits for a turn, of which nobody tells us. */
const SHORT_REST_MS = 1;
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
/** A thread that was held in vain goes on, and the next one is held: so often. */
const MOST_HOLDS = 4;
/** For those who only have to be let go. */
const LAST_STOPS_MS = 2000;

export function* attempt(setup: AttemptSetup): Resting<AttemptResult> {
  const started = startProgram({ ...setup.program, fixedAddresses: true }, () => {});
  const run = new Attempt(setup, started);
  try {
    return yield* run.run();
  } finally {
    run.clearAway();
  }
}

class Attempt {
  readonly #setup: AttemptSetup;
  readonly #process: TracedProcess;
  readonly #meeting: Meeting;
  readonly #stallWatch: StallWatch;
  readonly #deadline: number;
  #lastLook = 0;
  #holds = 0;
  /** How it was when nobody could move for the first time. */
  #stallNote: string | undefined;
  /** When it was asked to end. */
  #askedAt: number | undefined;
  #decidedAt: number | undefined;

  constructor(setup: AttemptSetup, { task }: StartedProgram) {
    this.#setup = setup;
    this.#meeting = new Meeting(setup);
    this.#process = new TracedProcess(task, this.#meeting);
    this.#meeting.process = this.#process;
    const now = performance.now();
    this.#deadline = now + setup.limits.runMs;
    this.#stallWatch = new StallWatch(setup.limits, now);
    setup.control.alive = task;
  }

  *run(): Resting<AttemptResult> {
    ignoringTheDead(() => this.#process.begin());
    while (this.#process.status === undefined) {
      const next = nextStopWithin(BLOCK_MS);
      if (next === undefined) break;
      if (next !== 'none yet') {
        ignoringTheDead(() => this.#process.handle(next.task, next.stop));
      }
      const isTime = performance.now() - this.#lastLook > LOOK_MS;
      this.#meeting.takeTurns();
      if (isTime || this.#meeting.outcome) this.#lookAround();
      if (next === 'none yet') yield this.#meeting.standing.length > 0 ? SHORT_REST_MS : LOOK_MS;
      else if (isTime) yield 0;
    }
    this.#leaveTheRest();
    const status = this.#process.status ?? 0;
    const outcome = this.#meeting.outcome ?? this.#ended(status);
    this.#setup.control.alive = undefined;
    return { outcome, end: endOf(status) };
  }

  /** Nothing is left running, whatever has happened. */
  clearAway(): void {
    this.#setup.control.alive = undefined;
    if (this.#process.status !== undefined) return;
    this.#signalTree(Signal.SIGKILL);
    this.#process.letGo(this.#meeting.standing);
    this.#leaveTheRest();
  }

  /** Whom the program has started may stop for the first time when it has ended itself. */
  #leaveTheRest(): void {
    this.#process.stopBorrowers();
    const until = performance.now() + LAST_STOPS_MS;
    while (hasChildren() && performance.now() < until) {
      const next = nextStopWithin(BLOCK_MS);
      if (next !== undefined && next !== 'none yet') {
        ignoringTheDead(() => this.#process.handle(next.task, next.stop));
      }
    }
  }

  #lookAround(): void {
    const now = performance.now();
    this.#lastLook = now;
    const { control, limits, gate } = this.#setup;
    if (control.mustEnd) this.#signalTree(Signal.SIGKILL);
    if (this.#meeting.outcome === undefined) {
      if (control.interruptedBy !== undefined) {
        this.#decide('interrupted', INTERRUPTED);
      } else if (now > this.#deadline) {
        this.#decide('too-long', `time was up: ${this.#comings()}`);
      } else if (gate !== undefined && this.#hasDiverged()) {
        this.#letGo();
      } else this.#watchForStall(now);
    }
    if (this.#meeting.outcome === undefined) return;
    this.#letGo();
    this.#decidedAt ??= now;
    if (now > Math.min(this.#deadline, this.#decidedAt + limits.endMs)) this.#askToEnd(now);
  }

  #letGo(): void {
    this.#setup.gate?.open();
    this.#process.letGo(this.#meeting.standing);
  }

  #decide(cause: MissedCause, reason: string): void {
    this.#meeting.outcome ??= { kind: 'missed', cause, reason };
  }

  #hasDiverged(): boolean {
    const { gate, files } = this.#setup;
    const { divergence, open } = gate!.file.progress();
    if (divergence === undefined && open === undefined) return false;
    if (divergence === undefined) this.#decide('diverged', givenUpText(open!));
    else {
      const expected = divergence.turn === undefined ? undefined : gate!.opAt(divergence.turn);
      const name = expected === undefined ? undefined : LOG_OP_NAMES[expected];
      this.#decide('diverged', divergenceText(divergence, name, this.#process.process, files));
    }
    return true;
  }

  #watchForStall(now: number): void {
    const { gate } = this.#setup;
    const { comings, held } = this.#meeting;
    const situation = {
      mark: `${comings} ${this.#process.threads.size} ${gate?.file.turn}`,
      tasks: this.#unheld(),
      keepsSomebody: held !== undefined || gate !== undefined,
    };
    if (this.#stallWatch.isStalled(situation, now)) this.#stalled();
  }

  /** Threads that may move, as far as we are concerned. */
  #unheld(): Tid[] {
    const kept = new Set(this.#meeting.standing);
    for (const { tid: task } of this.#setup.gate?.waiting() ?? []) if (task) kept.add(task);
    return [...this.#process.threads].filter((task) => !kept.has(task));
  }

  #stalled(): void {
    const { gate } = this.#setup;
    const idlers = gate?.idlers() ?? [];
    if (gate !== undefined && idlers.length > 0) {
      for (const { thread } of idlers) gate.file.free(thread);
      return;
    }
    this.#stallNote ??= this.#stallText();
    if (this.#meeting.held === undefined) {
      this.#decide('stalled', this.#stallNote);
      return;
    }
    // Any other time is as good as this one, but not any other address; a schedule leads there only once.
    const { wanted } = this.#setup;
    const isEnough = gate !== undefined || ++this.#holds >= MOST_HOLDS;
    if (isEnough || !wanted.isKnown) wanted.onlyWatch();
    this.#meeting.release();
  }

  #stallText(): string {
    const { gate, files } = this.#setup;
    const { held } = this.#meeting;
    const others = [...this.#process.threads].filter((task) => task !== held);
    const sleepers = sleepersText(this.#process.process, others, gate, files);
    const where = this.#meeting.heldAt;
    const waited =
      held === undefined || where === undefined
        ? this.#comings()
        : `${threadName(held, gate)} stood at ${placeName(where, files)}, and nobody came`;
    return `${waited}${sleepers === '' ? '' : `: ${sleepers}`}`;
  }

  #comings(): string {
    const { race, wanted, files } = this.#setup;
    const names = race.sides.map(({ code }) => placeName(code, files));
    return comingsText([wanted.wasSeen(0), wanted.wasSeen(1)], names);
  }

  #ended(status: number): Outcome {
    const [missing] = this.#meeting.missing;
    if (missing !== undefined) {
      const reason = `${missing} was not loaded`;
      return { kind: 'missed', cause: 'not-loaded', reason };
    }
    if (this.#stallNote !== undefined) {
      return { kind: 'missed', cause: 'stalled', reason: this.#stallNote };
    }
    return { kind: 'missed', cause: 'ended', reason: `${endText(status)}: ${this.#comings()}` };
  }

  #askToEnd(now: number): void {
    if (this.#askedAt === undefined) {
      this.#askedAt = now;
      this.#signalTree(Signal.SIGTERM);
    } else if (now > this.#askedAt + GRACE_MS) this.#signalTree(Signal.SIGKILL);
  }

  /** The program, and what it has started that still hangs on it. */
  #signalTree(signal: number): void {
    if (this.#process.status !== undefined) return;
    const processes = new Set(runningTree(this.#process.process).map(({ process }) => process));
    // Some may be gone already, and those of other users do not hear us.
    for (const process of processes) void tryTo(() => sendSignal(tid(process), signal));
  }
}

function endOf(status: number): ProgramEnd {
  const end = parseWaitStatus(status);
  if (end.kind === 'killed') return { signal: end.signal };
  return { status: end.kind === 'exited' ? end.code : 0 };
}
