/**
 * Stubs that stop everybody when one stops, such as QEMU's. It runs only while somebody waits for a stop, those
 * that are held excepted:
 *
 *   vCont;c                   everybody
 *   vCont;c:p01.01            p01.02 is held
 *   \x03                      …until the deadline
 *
 * One stop is told; if another runner came to a breakpoint in the same moment, it will come to it again. If it came to
 * a watchpoint, QEMU tells so when that runner stops for the next time, wherever that is.
 */
import type { Runner } from '../debug-target.ts';
import type { GdbConnection } from './connection.ts';
import { Alarm, type RunControl } from './run-control.ts';
import { parseStopReply, type StopReply, threadNumber } from './stop-reply.ts';
import { readThreads } from './threads.ts';

/** gdb's number. */
const SIGINT = 2;

export class AllStop implements RunControl {
  readonly mayTellLate = true;
  readonly #stub: GdbConnection;
  readonly #alarm = new Alarm();
  readonly #signals = new Map<Runner, number>();
  #runners = new Map<Runner, string>();
  #ranFor = 0;
  #isRunning: Promise<unknown> | undefined;
  /** How often it was interrupted without a stop that says so. */
  #interruptsOwed = 0;

  constructor(stub: GdbConnection) {
    this.#stub = stub;
  }

  get runners(): ReadonlyMap<Runner, string> {
    return this.#runners;
  }

  get ranFor(): number {
    return this.#ranFor;
  }

  async begin(): Promise<void> {
    this.#runners = await readThreads(this.#stub);
  }

  async nextStop(held: ReadonlySet<Runner>, deadline: number): Promise<StopReply | undefined> {
    const running = [...this.#runners].filter(([runner]) => !held.has(runner));
    if (running.length === 0) {
      await this.#alarm.isFirst(new Promise(() => {}), deadline);
      return undefined;
    }
    const actions = running.map(([runner, name]) => `${this.#action(runner)}:${name}`);
    const everybody = held.size === 0 && this.#signals.size === 0;
    this.#signals.clear();
    return await this.#run(everybody ? 'vCont;c' : `vCont;${actions.join(';')}`, deadline);
  }

  wake(): void {
    this.#alarm.ring();
  }

  passOn(runner: Runner, signal: number): void {
    this.#signals.set(runner, signal);
  }

  async step(runner: Runner): Promise<StopReply | undefined> {
    const soon = performance.now() + 1000;
    return await this.#run(`vCont;s:${this.#runners.get(runner)}`, soon);
  }

  async halt(): Promise<void> {
    if (this.#isRunning === undefined) return;
    this.#alarm.ring();
    await this.#isRunning;
  }

  async #run(command: string, deadline: number): Promise<StopReply | undefined> {
    const began = performance.now();
    const stopped = this.#stub.resume(command);
    this.#isRunning = stopped.catch(() => {});
    try {
      if (!(await this.#alarm.isFirst(stopped, deadline))) {
        this.#interruptsOwed++;
        this.#stub.interrupt();
      }
      const reply = parseStopReply((await stopped).toString('latin1'));
      return await this.#withoutInterrupts(reply);
    } finally {
      this.#ranFor += performance.now() - began;
      this.#isRunning = undefined;
    }
  }

  async #withoutInterrupts(reply: StopReply): Promise<StopReply | undefined> {
    if (reply.kind !== 'stop') return reply;
    if (reply.thread !== undefined && !this.#runners.has(threadNumber(reply.thread))) {
      this.#runners = await readThreads(this.#stub);
    }
    if (reply.signal !== SIGINT || this.#interruptsOwed === 0) return reply;
    this.#interruptsOwed = 0;
    return undefined;
  }

  #action(runner: Runner): string {
    const signal = this.#signals.get(runner);
    return signal === undefined ? 'c' : `C${signal.toString(16).padStart(2, '0')}`;
  }
}
