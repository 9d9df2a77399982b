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
import { type GdbConnection, StubLost } from './connection.ts';
import { NotGdbProtocol } from './packets.ts';
import type { StubRegisters } from './register-layout.ts';
import type { RemoteSystem } from './remote-system.ts';
import type { RunControl } from './run-control.ts';
import { SIGTRAP, signalName } from './signals.ts';
import { type StopReply, type ThreadStop, threadNumber } from './stop-reply.ts';
import type { Stub } from './stub.ts';

interface ArmedWatch extends Watch {
  readonly type: 2 | 4;
}

/** Instructions with a repeat prefix stay where they are; one that never ends is let go. */
const MOST_STEPS = 256;

export class GdbTarget implements DebugTarget {
  readonly #stub: Stub;
  readonly #connection: GdbConnection;
  readonly #runs: RunControl;
  readonly #system: RemoteSystem;
  readonly #planted = new Set<bigint>();
  /** Where code changes; planted as well. */
  readonly #hooks = new Set<bigint>();
  readonly #watches: ArmedWatch[] = [];
  readonly #held = new Map<Runner, StubRegisters>();
  /** Released where a breakpoint stands. */
  readonly #toStepOver = new Map<Runner, bigint>();
  readonly #events: TargetEvent[] = [];
  #end: TargetEnd | undefined;

  constructor(stub: Stub, runs: RunControl, system: RemoteSystem) {
    this.#stub = stub;
    this.#connection = stub.connection;
    this.#runs = runs;
    this.#system = system;
  }

  functions(): Promise<readonly CodeFunction[]> {
    return this.#answer([], () => this.#system.functions());
  }

  functionAt(address: bigint): Promise<CodeFunction | undefined> {
    return this.#answer(undefined, () => this.#system.functionAt(address));
  }

  read(address: bigint, size: number, seenBy?: Runner): Promise<Uint8Array> {
    return this.#answer(new Uint8Array(0), () => this.#stub.read(address, size, seenBy));
  }

  async plant(addresses: readonly bigint[]): Promise<readonly bigint[]> {
    await this.#watchForCode();
    const standing = await Promise.all(addresses.map((one) => this.#plantOne(one)));
    return addresses.filter((_, index) => standing[index]);
  }

  async unplant(addresses: readonly bigint[]): Promise<void> {
    await Promise.all(addresses.map((address) => this.#unplantOne(address)));
  }

  async next(deadline: number): Promise<TargetEvent> {
    try {
      return await this.#next(deadline);
    } catch (thrown) {
      if (!(thrown instanceof StubLost) && !(thrown instanceof NotGdbProtocol)) throw thrown;
      this.#end ??= { lostBecause: this.#whyLost(thrown) };
      return { kind: 'ended', end: this.#end };
    }
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
    const watch: ArmedWatch = { pieces, type: on === 'store' ? 2 : 4 };
    const done: WatchedBytes[] = [];
    for (const piece of pieces) {
      const answer = await this.#answer('', () => this.#connection.ask(`Z${place(watch, piece)}`));
      if (answer === 'OK') done.push(piece);
      else {
        await this.#disarm({ ...watch, pieces: done });
        return undefined;
      }
    }
    this.#watches.push(watch);
    return watch;
  }

  async disarm(watch: Watch): Promise<void> {
    const index = this.#watches.indexOf(watch as ArmedWatch);
    if (index < 0) return;
    const [armed] = this.#watches.splice(index, 1);
    await this.#disarm(armed!);
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
    return await this.#answer({ process: '', pid: 0, thread: runner }, async () => {
      const registers = this.#held.get(runner) ?? (await this.#stub.registers(runner));
      return await this.#system.who(runner, registers);
    });
  }

  stack(runner: Runner, registers: RunnerRegisters): Promise<Site[]> {
    return this.#answer([], () => this.#system.stack(runner, registers as StubRegisters));
  }

  sitesAt(address: bigint): Promise<Site[]> {
    const unknown = [{ address: `0x${address.toString(16)}` }];
    return this.#answer(unknown, () => this.#system.sitesAt(address));
  }

  dataName(address: bigint): Promise<string> {
    return this.#answer('', () => this.#system.dataName(address));
  }

  async leave(): Promise<void> {
    // Of a program that has ended, nothing is to be cleaned up; gdbserver would fail over it.
    if (this.#end === undefined) {
      await this.#answer(undefined, async () => {
        await this.#runs.halt();
        for (const watch of this.#watches.splice(0)) await this.#disarm(watch);
        for (const hook of this.#hooks) this.#planted.add(hook);
        this.#hooks.clear();
        await this.unplant([...this.#planted]);
        await this.#stub.detach();
      });
    }
    this.#connection.close();
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
        this.#end = { code: reply.code };
        return;
      case 'killed':
        this.#end = { signal: signalName(reply.signal) };
        return;
      case 'nobody':
        this.#end = { lostBecause: 'all of its threads have ended' };
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
    const watch = watched === undefined ? undefined : this.#watchOf(watched);
    if (watch !== undefined) {
      this.#held.set(runner, registers);
      this.#events.push({ kind: 'watchpoint', runner, watch, registers });
      return;
    }
    // One that was for bytes which are no longer watched is nobody's business.
    if (watched !== undefined) return;
    const address = registers.get('rip');
    if (this.#hooks.has(address)) {
      this.#system.forget();
      this.#events.push({ kind: 'code-changed' });
      if (!this.#planted.has(address)) this.#toStepOver.set(runner, address);
    }
    if (!this.#planted.has(address)) return;
    this.#held.set(runner, registers);
    this.#events.push({ kind: 'breakpoint', runner, address, registers });
  }

  #watchOf(address: bigint): ArmedWatch | undefined {
    return this.#watches.find(({ pieces }) =>
      pieces.some((one) => address < one.address + BigInt(one.size) && one.address < address + 8n),
    );
  }

  /** Breakpoints stop whoever stands before them once more: so they are taken away for one instruction. */
  async #stepOver(): Promise<void> {
    for (const [runner, address] of this.#toStepOver) {
      this.#toStepOver.delete(runner);
      if (!this.#runs.runners.has(runner) || !this.#stands(address)) continue;
      const breakpoint = `0,${address.toString(16)},1`;
      await this.#connection.ask(`z${breakpoint}`);
      await this.#stepFrom(runner, address);
      if ((await this.#connection.ask(`Z${breakpoint}`)) !== 'OK') this.#planted.delete(address);
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

  #stands(address: bigint): boolean {
    return this.#planted.has(address) || this.#hooks.has(address);
  }

  async #watchForCode(): Promise<void> {
    for (const address of await this.#answer([], () => this.#system.codeChanges())) {
      if (this.#hooks.has(address)) continue;
      if (this.#planted.has(address) || (await this.#insert(address))) this.#hooks.add(address);
    }
  }

  async #plantOne(address: bigint): Promise<boolean> {
    if (!this.#stands(address) && !(await this.#insert(address))) return false;
    this.#planted.add(address);
    return true;
  }

  async #unplantOne(address: bigint): Promise<void> {
    if (!this.#planted.delete(address) || this.#hooks.has(address)) return;
    await this.#answer('', () => this.#connection.ask(`z0,${address.toString(16)},1`));
  }

  async #insert(address: bigint): Promise<boolean> {
    const answer = await this.#answer('', () =>
      this.#connection.ask(`Z0,${address.toString(16)},1`),
    );
    return answer === 'OK';
  }

  async #disarm(watch: ArmedWatch): Promise<void> {
    for (const piece of watch.pieces) {
      await this.#answer('', () => this.#connection.ask(`z${place(watch, piece)}`));
    }
  }

  /** Of a stub that is gone, `next` tells. */
  async #answer<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (thrown instanceof StubLost || thrown instanceof NotGdbProtocol) {
        this.#end ??= { lostBecause: this.#whyLost(thrown) };
        return otherwise;
      }
      throw thrown;
    }
  }

  #whyLost(thrown: Error): string {
    if (thrown instanceof StubLost) return thrown.message;
    return `the gdb stub at ${this.#connection.name} has stopped speaking the GDB remote protocol: ${thrown.message}`;
  }
}

const place = ({ type }: ArmedWatch, { address, size }: WatchedBytes): string =>
  `${type},${address.toString(16)},${size}`;
