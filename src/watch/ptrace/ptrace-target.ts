/**
 * A process under ptrace, as the watch loop wants it: its threads are the runners. While one of them is held,
 * only that one stands still; nobody is stopped in order to plant a breakpoint or (with perf-watchpoints.ts) to
 * watch memory.
 *
 *   launchTarget(program)      starts it; attachTarget(pid) takes one that runs
 *   next(deadline)             handles stops until one of them is worth telling
 *   leave()                    the process goes on as if we had never been there
 *
 * All of it is to be used in one thread, since ptrace binds a tracee to the thread that seized it. The process may
 * be killed at any moment: what is asked of it then has empty answers, until `next` tells of its end.
 */
import { beforeWeEnd } from '../../base/last-acts.ts';
import { tryTo } from '../../base/result.ts';
import { frameRegisters, stackTrace } from '../../debugger/stack-trace.ts';
import { type StopHandler, TracedProcess } from '../../debugger/traced-process.ts';
import type { Hit } from '../../linux/breakpoints.ts';
import { type Pid, type Tid, tid } from '../../linux/ids.ts';
import { becomePrompt } from '../../linux/own-promptness.ts';
import { readRegisters } from '../../linux/ptrace.ts';
import { ignoreRealTimeSignals } from '../../linux/real-time-signals.ts';
import type { Registers } from '../../linux/registers.ts';
import {
  ignoringTheDead,
  nextStopWithin,
  type StoppedTask,
  stoppedTask,
  unlessGone,
} from '../../linux/tracee-stop.ts';
import type { Site } from '../../report/model.ts';
import type {
  CodeFunction,
  DebugTarget,
  Runner,
  RunnerName,
  RunnerRegisters,
  TargetEvent,
  Variable,
  Watch,
  WatchedBytes,
  WatchedFor,
  WindowPlan,
} from '../debug-target.ts';
import { nameOfData, variableAt } from './data-names.ts';
import type { PlantedCode } from './planted-code.ts';
import { QuickWindows } from './quick-windows.ts';
import { RunningCode } from './running-code.ts';
import { SampledCode } from './sampled-code.ts';
import { StopWaiting } from './stop-waiting.ts';
import { targetEnd } from './target-end.ts';
import { nameOfThread } from './thread-name.ts';
import type { ThreadWatchpoints } from './thread-watchpoints.ts';
import { chooseWatchpoints } from './watchpoint-choice.ts';

/** For those that cannot be stopped at once, as in a sleep for a disk. */
const LEAVE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;
const NOTHING = Buffer.alloc(0);

export interface TargetOptions {
  /** Libraries whose functions are sampled as well: paths without symbolic links, or names as in `libz.so`. */
  readonly also?: readonly string[];
  /** As they are chosen otherwise, if the kernel allows. */
  readonly watchpoints?: ThreadWatchpoints['way'];
  /** Whether windows may be opened and closed by linux/quick-look.ts, if it is there. */
  readonly isQuick?: boolean;
}

export class PtraceTarget implements DebugTarget, StopHandler {
  readonly #process: TracedProcess<PlantedCode>;
  readonly #stops = new StopWaiting();
  readonly #code: SampledCode;
  readonly #watchpoints: ThreadWatchpoints;
  readonly #quick: QuickWindows;
  readonly #running = new RunningCode();
  /** Those who stand because of us. */
  readonly #held = new Set<Tid>();
  #events: TargetEvent[] = [];
  #promptness: ReturnType<typeof becomePrompt> | undefined;
  #hasLeft = false;
  #mayEnd = (): void => {};
  #isReady = false;
  /** Whoever stands before the program's first instruction, until all is ready. */
  #waitsToBegin: Tid | undefined;

  /** `task`: the first thread; it stands at its exec, or we have attached to it. */
  constructor(task: Tid, { also = [], watchpoints, isQuick = true }: TargetOptions) {
    this.#process = new TracedProcess<PlantedCode>(task, this);
    this.#code = new SampledCode(this.#process.process, also, isQuick);
    this.#watchpoints = chooseWatchpoints(this.#process.process, watchpoints);
    this.#quick = new QuickWindows(this.#code, this.#watchpoints);
  }

  get pid(): Pid {
    return this.#process.process;
  }

  /** For the report: by which means memory is watched. */
  get watchesBy(): ThreadWatchpoints['way'] {
    return this.#watchpoints.way;
  }

  /** Libraries that are to be sampled as well, and were never loaded. */
  get missingLibraries(): readonly string[] {
    return this.#code.map.missing;
  }

  get process(): TracedProcess<PlantedCode> {
    return this.#process;
  }

  /** Until the loader is done, or the program has ended. */
  async untilReady(): Promise<void> {
    this.#process.begin();
    while (!this.#isReady && this.#process.status === undefined) {
      if (!(await this.#handleNext(Number.POSITIVE_INFINITY, false))) break;
    }
  }

  /** Threads that run already are ours now; see attach.ts. */
  attached(): void {
    this.#process.breakpoints = this.#code.planted;
    // It outlives us, so nothing of us may be left in it, however we end.
    const forget = beforeWeEnd(this.#leave);
    const heedSignals = ignoreRealTimeSignals();
    this.#mayEnd = () => {
      forget();
      heedSignals();
    };
    ignoringTheDead(() => this.#code.begin());
    this.#isReady = true;
  }

  async functions(): Promise<readonly CodeFunction[]> {
    return this.#code.map.functions();
  }

  async functionAt(address: bigint): Promise<CodeFunction | undefined> {
    return this.#code.map.functionAt(address);
  }

  async running(goesOn: boolean): Promise<readonly bigint[]> {
    return this.#isOver ? [] : this.#running.take(goesOn ? [...this.#process.threads] : []);
  }

  async read(address: bigint, size: number): Promise<Uint8Array> {
    return unlessGone<Uint8Array>(() => this.#code.planted.read(address, size), NOTHING);
  }

  get plansAhead(): boolean {
    return this.#code.quick.look !== undefined;
  }

  async plant(addresses: readonly bigint[], from?: number): Promise<readonly bigint[]> {
    if (this.#isOver) return [];
    // From here on, somebody may stand and wait for us.
    this.#promptness ??= becomePrompt();
    return unlessGone(() => this.#code.plant(addresses, from), []);
  }

  async unplant(addresses: readonly bigint[]): Promise<void> {
    for (const address of addresses) ignoringTheDead(() => this.#code.unplant(address));
  }

  async next(deadline: number, isExact = false, plan?: WindowPlan): Promise<TargetEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await this.#begin();
      const { status } = this.#process;
      if (status !== undefined) return { kind: 'ended', end: targetEnd(status) };
      const isHandled = plan && (await this.#lookQuickly(deadline, plan));
      if (!(isHandled ?? (await this.#handleNext(deadline, isExact)))) {
        if (this.#process.isTraced) return { kind: 'deadline' };
        return { kind: 'ended', end: targetEnd(this.#process.status) };
      }
    }
  }

  get waitsToBegin(): boolean {
    return this.#waitsToBegin !== undefined;
  }

  async #begin(): Promise<void> {
    const task = this.#waitsToBegin;
    this.#waitsToBegin = undefined;
    if (task === undefined) return;
    // A short program may be over before we have another turn.
    this.#code.planted.write();
    await this.release(task);
  }

  wake(): void {
    this.#stops.wake();
  }

  async arm(
    pieces: readonly WatchedBytes[],
    on: WatchedFor,
    holder: Runner,
  ): Promise<Watch | undefined> {
    if (this.#isOver) return undefined;
    const request = { pieces, on, holder: tid(holder) };
    const { threads } = this.#process;
    return unlessGone(() => this.#watchpoints.arm(request, threads), undefined);
  }

  async disarm(watch: Watch): Promise<void> {
    this.#watchpoints.disarm(watch);
  }

  async release(runner: Runner): Promise<void> {
    const task = tid(runner);
    if (this.#held.delete(task)) ignoringTheDead(() => this.#process.goOn(task));
  }

  othersRunning(): number {
    return this.#process.threads.size - this.#held.size;
  }

  async who(runner: Runner): Promise<RunnerName> {
    return nameOfThread(this.#process.process, tid(runner));
  }

  async stack(runner: Runner, registers: RunnerRegisters): Promise<Site[]> {
    return stackTrace(tid(runner), frameRegisters(registers), this.#code.images);
  }

  async sitesAt(address: bigint): Promise<Site[]> {
    return this.#code.map.sitesAt(address);
  }

  async dataName(address: bigint, runner: Runner, registers: RunnerRegisters): Promise<string> {
    return nameOfData(this.#process, this.#code.images, address, tid(runner), registers);
  }

  async variableAt(address: bigint): Promise<Variable | undefined> {
    return variableAt(this.#code.images, address);
  }

  async leave(): Promise<void> {
    this.#leave();
  }

  /** All at once, so that it can be done even when we are about to exit. */
  readonly #leave = (): void => {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    // Whatever fails, most of all the code is to be as it was.
    void tryTo(() => this.#watchpoints.close());
    this.#running.close();
    this.#process.letGo([...this.#held]);
    this.#held.clear();
    this.#process.stopThreads();
    this.#process.stopBorrowers();
    const deadline = performance.now() + LEAVE_WITHIN_MS;
    while (this.#process.isTraced && performance.now() < deadline) {
      const next = nextStopWithin(LOOK_EVERY_MS);
      if (next === undefined) break;
      if (next !== 'none yet') void tryTo(() => this.#handle(next));
    }
    this.#stops.close();
    this.#code.close();
    this.#promptness?.undo();
    this.#mayEnd();
  };

  arrived(task: Tid): 'held' {
    this.#code.startAnew();
    this.#process.breakpoints = this.#code.planted;
    if (this.#isReady) this.#events.push({ kind: 'code-changed' });
    this.#isReady = true;
    this.#held.add(task);
    this.#waitsToBegin = task;
    return 'held';
  }

  hit(task: Tid, { address, registers }: Hit): void {
    if (this.#code.isLoader(address)) {
      if (this.#code.heardLoader(task, registers)) this.#events.push({ kind: 'code-changed' });
      return this.#process.goOn(task);
    }
    // Others who come there are not to stand as well.
    this.#code.unplant(address);
    this.#held.add(task);
    this.#events.push({ kind: 'breakpoint', runner: task, address, registers });
  }

  trapped(task: Tid): 'held' | 'passes' | 'foreign' {
    const touch = this.#watchpoints.touchBy(task);
    if (touch === undefined) return 'foreign';
    if (touch === 'late' || this.#hasLeft) return 'passes';
    this.#held.add(task);
    const registers: Registers = readRegisters(task);
    this.#events.push({ kind: 'watchpoint', runner: task, watch: touch, registers });
    return 'held';
  }

  goesOn(task: Tid): void {
    this.#watchpoints.goesOn(task);
  }

  lost(task: Tid): void {
    this.#watchpoints.gone(task);
    if (!this.#held.delete(task)) return;
    const told = this.#events.length;
    this.#events = this.#events.filter((event) => !('runner' in event) || event.runner !== task);
    if (this.#events.length === told) this.#events.push({ kind: 'lost', runner: task });
  }

  execed(): void {
    this.#watchpoints.execed();
  }

  get #isOver(): boolean {
    return this.#hasLeft || this.#process.status !== undefined;
  }

  /** The same as `#handleNext`, and perhaps with windows; undefined if that is not to be had. */
  async #lookQuickly(deadline: number, plan: WindowPlan): Promise<boolean | undefined> {
    if (this.#held.size > 0) return undefined;
    await this.#stops.turnIfDue();
    if (this.#stops.isWoken()) return false;
    const looked = this.#quick.look(this.#process.threads, deadline, plan);
    if (looked === undefined) return undefined;
    const { end, stop, events, holder } = looked;
    this.#events.push(...events);
    if (holder !== undefined) this.#held.add(holder);
    const stopped = end === 'stop' ? stoppedTask(stop) : undefined;
    if (stopped !== undefined) this.#handle(stopped);
    if (end === 'interrupted') await this.#stops.takeTurn();
    if (end === 'nobody') return undefined;
    return end === 'stop' || end === 'interrupted' || events.length > 0;
  }

  /** False if nothing has stopped until then, or nobody can. */
  async #handleNext(deadline: number, isExact: boolean): Promise<boolean> {
    const { planted } = this.#code;
    planted.write();
    const next = await this.#stops.next(Math.min(deadline, planted.nextWrite), isExact);
    if (next === undefined || next === 'none') return false;
    this.#handle(next);
    if (this.#events.length > 0) this.#handleThoseBesides();
    return true;
  }

  /** Where one comes, others often do in the same moment: they are not to wait for what is done about the first. */
  #handleThoseBesides(): void {
    for (let left = this.#process.threads.size; left > 0; left--) {
      const next = nextStopWithin(0);
      if (next === undefined || next === 'none yet') return;
      this.#handle(next);
    }
  }

  #handle({ task, stop }: StoppedTask): void {
    ignoringTheDead(() => this.#process.handle(task, stop));
  }
}
