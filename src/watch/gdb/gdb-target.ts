/**
 * A DebugTarget behind a gdb stub. What stops, and why, comes from here; what it is called, from a `RemoteSystem`.
 *
 *   plant(0x11a2)                  Z0,11a2,1
 *   next(deadline)                 vCont;c … T05thread:p01.02; its rip is 0x11a2: { kind: 'breakpoint', runner: 2 }
 *   arm([{ 0x5040, 4 }], 2)        Z2,5040,4: for all runners, but runner 2 stands
 *   next(deadline)                 vCont;c:p01.01 … T05thread:p01.01;watch:5040; { kind: 'watchpoint', runner: 1 }
 *
 * If the connection ends, that is the next event, and whatever else is asked has no answer.
 */
import { beforeWeEnd } from '../../base/last-acts.ts';
import type { Site } from '../../report/model.ts';
import type {
  CodeFunction,
  DebugTarget,
  Runner,
  RunnerName,
  RunnerRegisters,
  TargetEnd,
  TargetEvent,
  Watch,
  WatchedBytes,
  WatchedFor,
} from '../debug-target.ts';
import type { StubRegisters } from './register-layout.ts';
import type { RemoteSystem } from './remote-system.ts';
import type { RunControl } from './run-control.ts';
import { SIGTRAP, signalName } from './signals.ts';
import { type StopReply, type ThreadStop, threadNumber } from './stop-reply.ts';
import type { Stub } from './stub.ts';
import { StubAnswers } from './stub-answers.ts';
import { StubBreakpoints } from './stub-breakpoints.ts';
import { StubWatchpoints } from './stub-watchpoints.ts';

/** Instructions with a repeat prefix stay where they are; one that never ends is let go. */
const MOST_STEPS = 256;

export class GdbTarget implements DebugTarget {
  readonly #stub: Stub;
  readonly #answers: StubAnswers;
  readonly #breakpoints: StubBreakpoints;
  readonly #watchpoints: StubWatchpoints;
  readonly #runs: RunControl;
  readonly #system: RemoteSystem;
  readonly #held = new Map<Runner, StubRegisters>();
  /** Released where a breakpoint stands. */
  readonly #toStepOver = new Map<Runner, bigint>();
  readonly #events: TargetEvent[] = [];
  /** How the program itself has ended. */
  #programEnd: TargetEnd | undefined;
  #hasLeft = (): void => {};
  readonly #left = new Promise<void>((resolve) => {
    this.#hasLeft = resolve;
  });
  /** Whoever ends us has asked the loop to end before that: it takes a moment until it has left. */
  readonly #forgetLastAct = beforeWeEnd(() => this.#left);

  constructor(stub: Stub, runs: RunControl, system: RemoteSystem) {
    this.#stub = stub;
    this.#answers = new StubAnswers(stub.connection.name);
    this.#breakpoints = new StubBreakpoints(stub.connection, this.#answers);
    this.#watchpoints = new StubWatchpoints(stub.connection, this.#answers);
    this.#runs = runs;
    this.#system = system;
  }

  get mayTellLate(): boolean {
    return this.#runs.mayTellLate;
  }

  functions(): Promise<readonly CodeFunction[]> {
    return this.#answers.to(() => this.#system.functions(), []);
  }

  functionAt(address: bigint): Promise<CodeFunction | undefined> {
    return this.#answers.to(() => this.#system.functionAt(address), undefined);
  }

  read(address: bigint, size: number, seenBy?: Runner): Promise<Uint8Array> {
    return this.#answers.to(() => this.#stub.read(address, size, seenBy), new Uint8Array(0));
  }

  async plant(addresses: readonly bigint[]): Promise<readonly bigint[]> {
    await this.#watchForCode();
    const standing = await Promise.all(addresses.map((one) => this.#breakpoints.plant(one)));
    return addresses.filter((_, index) => standing[index]);
  }

  async unplant(addresses: readonly bigint[]): Promise<void> {
    await Promise.all(addresses.map((address) => this.#breakpoints.unplant(address)));
  }

  async next(deadline: number): Promise<TargetEvent> {
    const event = await this.#answers.to(() => this.#next(deadline), undefined);
    return event ?? { kind: 'ended', end: this.#end! };
  }

  wake(): void {
    this.#runs.wake();
  }

  async arm(
    pieces: readonly WatchedBytes[],
    on: WatchedFor,
    _holder: Runner,
  ): Promise<Watch | undefined> {
    if (pieces.some(({ address }) => !this.#system.isShared(address))) return undefined;
    return await this.#watchpoints.arm(pieces, on);
  }

  async disarm(watch: Watch): Promise<void> {
    await this.#watchpoints.disarm(watch);
  }

  async release(runner: Runner): Promise<void> {
    const registers = this.#held.get(runner);
    if (registers === undefined) return;
    this.#held.delete(runner);
    this.#toStepOver.set(runner, registers.get('rip'));
  }

  othersRunning(): number {
    return this.#runs.runners.size - this.#held.size;
  }

  /** Milliseconds in which it ran at all, rather than stand still because of us. */
  get ranFor(): number {
    return this.#runs.ranFor;
  }

  async who(runner: Runner): Promise<RunnerName> {
    return await this.#answers.to(
      async () => {
        const registers = this.#held.get(runner) ?? (await this.#stub.registers(runner));
        return await this.#system.who(runner, registers);
      },
      { process: '', pid: 0, thread: runner },
    );
  }

  stack(runner: Runner, registers: RunnerRegisters): Promise<Site[]> {
    return this.#answers.to(() => this.#system.stack(runner, registers as StubRegisters), []);
  }

  sitesAt(address: bigint): Promise<Site[]> {
    const unknown = [{ address: `0x${address.toString(16)}` }];
    return this.#answers.to(() => this.#system.sitesAt(address), unknown);
  }

  dataName(address: bigint): Promise<string> {
    return this.#answers.to(() => this.#system.dataName(address), '');
  }

  async leave(): Promise<void> {
    // Of a program that has ended, nothing is to be cleaned up; gdbserver would fail over it.
    if (this.#end === undefined) {
      await this.#answers.to(async () => {
        await this.#runs.halt();
        await this.#watchpoints.disarmAll();
        await this.#breakpoints.removeAll();
        await this.#stub.detach();
      }, undefined);
    }
    this.#stub.connection.close();
    this.#forgetLastAct();
    this.#hasLeft();
  }

  async #next(deadline: number): Promise<TargetEvent> {
    for (;;) {
      const ready = this.#events.shift();
      if (ready !== undefined) return ready;
      if (this.#end !== undefined) return { kind: 'ended', end: this.#end };
      await this.#watchForCode();
      await this.#stepOver();
      if (this.#events.length > 0) continue;
      const reply = await this.#runs.nextStop(new Set(this.#held.keys()), deadline);
      this.#stub.forgetSelection();
      if (reply !== undefined) await this.#take(reply);
      if (this.#events.length > 0) continue;
      if (reply === undefined || performance.now() >= deadline) return { kind: 'deadline' };
    }
  }

  async #take(reply: StopReply): Promise<void> {
    switch (reply.kind) {
      case 'stop':
        return await this.#takeStop(reply);
      case 'thread-exit':
        return this.#lose(threadNumber(reply.thread));
      case 'exit':
        this.#programEnd = { code: reply.code };
        return;
      case 'killed':
        this.#programEnd = { signal: signalName(reply.signal) };
        return;
      case 'nobody':
        this.#programEnd = { lostBecause: 'all of its threads have ended' };
        return;
    }
  }

  #lose(runner: Runner): void {
    this.#toStepOver.delete(runner);
    if (this.#held.delete(runner)) this.#events.push({ kind: 'lost', runner });
  }

  async #takeStop({ thread, signal, watched, isNew }: ThreadStop): Promise<void> {
    const runner = thread === undefined ? [...this.#runs.runners.keys()][0] : threadNumber(thread);
    if (runner === undefined || isNew || this.#held.has(runner)) return;
    if (signal !== SIGTRAP) {
      if (signal !== 0) this.#runs.passOn(runner, signal);
      return;
    }
    const registers = await this.#stub.registers(runner);
    const watch = watched === undefined ? undefined : this.#watchpoints.around(watched);
    if (watch !== undefined) {
      this.#held.set(runner, registers);
      this.#events.push({ kind: 'watchpoint', runner, watch, registers });
      return;
    }
    // One that was for bytes which are no longer watched is nobody's business.
    if (watched !== undefined) return;
    const address = registers.get('rip');
    const isPlanted = this.#breakpoints.isPlanted(address);
    if (this.#breakpoints.isHook(address)) {
      this.#system.forget();
      this.#events.push({ kind: 'code-changed' });
      if (!isPlanted) this.#toStepOver.set(runner, address);
    }
    if (!isPlanted) return;
    this.#held.set(runner, registers);
    this.#events.push({ kind: 'breakpoint', runner, address, registers });
  }

  async #stepOver(): Promise<void> {
    for (const [runner, address] of this.#toStepOver) {
      this.#toStepOver.delete(runner);
      if (!this.#runs.runners.has(runner)) continue;
      await this.#breakpoints.without(address, () => this.#stepFrom(runner, address));
    }
  }

  async #stepFrom(runner: Runner, address: bigint): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const reply = await this.#runs.step(runner);
      this.#stub.forgetSelection();
      if (reply === undefined) return;
      const isOther =
        reply.kind !== 'stop' || reply.signal !== SIGTRAP || reply.watched !== undefined;
      if (isOther) return await this.#take(reply);
      if ((await this.#stub.registers(runner)).get('rip') !== address) return;
    }
  }

  async #watchForCode(): Promise<void> {
    const changes = await this.#answers.to(() => this.#system.codeChanges(), []);
    for (const address of changes) await this.#breakpoints.hook(address);
  }

  get #end(): TargetEnd | undefined {
    const { lostBecause } = this.#answers;
    return this.#programEnd ?? (lostBecause === undefined ? undefined : { lostBecause });
  }
}
