/**
 * Stubs that stop only who has come to something, such as gdbserver: the others run on, also while nobody waits.
 *
 *   vCont;c:p3f1.3f1;c:p3f1.3f2        both run
 *   %Stop:T05thread:p3f1.3f2;…         one has stopped; there may be more:
 *   vStopped                           …until the answer is OK
 *
 * Nobody is interrupted at a deadline, which gdbserver would do by sending SIGINT to a whole process group.
 */
import { assert } from '../../base/assert.ts';
import type { Runner } from '../debug-target.ts';
import type { GdbConnection } from './connection.ts';
import { Alarm, type RunControl } from './run-control.ts';
import { parseStopReply, type StopReply, threadNumber } from './stop-reply.ts';
import { readThreads } from './threads.ts';

const STOP = 'Stop:';
/** A thread that is stepped may wait for another one. */
const STEP_LIMIT = 1000;

export class NonStop implements RunControl {
  readonly mayTellLate = false;
  readonly #stub: GdbConnection;
  readonly #alarm = new Alarm();
  readonly #signals = new Map<Runner, number>();
  readonly #runners = new Map<Runner, string>();
  readonly #running = new Set<Runner>();
  readonly #stops: StopReply[] = [];
  #onStop: (() => void) | undefined;
  #beganRunning: number | undefined;
  /** What came was no stop, or the connection has ended. */
  #failed: Error | undefined;

  constructor(stub: GdbConnection) {
    this.#stub = stub;
    stub.onNotification = (payload) => {
      const text = payload.toString('latin1');
      if (!text.startsWith(STOP)) return;
      this.#take(text.slice(STOP.length)).catch((thrown: Error) => {
        this.#failed = thrown;
        this.#onStop?.();
      });
    };
    // Whoever waits for a stop is to find out.
    stub.onLost = () => this.#onStop?.();
  }

  get runners(): ReadonlyMap<Runner, string> {
    return this.#runners;
  }

  get ranFor(): number {
    return this.#beganRunning === undefined ? 0 : performance.now() - this.#beganRunning;
  }

  /** All of them stand, as they do when somebody has connected. */
  async begin(): Promise<void> {
    const refused = (await this.#stub.ask('QNonStop:1')) !== 'OK';
    assert(!refused, 'a stub that has promised QNonStop refuses it');
    // New threads and those that end are told.
    await this.#stub.ask('QThreadEvents:1');
    for (const [runner, name] of await readThreads(this.#stub)) this.#runners.set(runner, name);
    let answer = await this.#stub.ask('?');
    while (answer !== 'OK' && answer !== '') answer = await this.#stub.ask('vStopped');
  }

  async nextStop(held: ReadonlySet<Runner>, deadline: number): Promise<StopReply | undefined> {
    if (this.#stops.length === 0) await this.#resume(held);
    while (this.#stops.length === 0 && (await this.#isStopFirst(deadline)));
    return this.#stops.shift();
  }

  wake(): void {
    this.#alarm.ring();
  }

  passOn(runner: Runner, signal: number): void {
    this.#signals.set(runner, signal);
  }

  /** If something else happens meanwhile, that is told later. */
  async step(runner: Runner): Promise<StopReply | undefined> {
    this.#running.add(runner);
    await this.#stub.ask(`vCont;s:${this.#runners.get(runner)}`);
    const deadline = performance.now() + STEP_LIMIT;
    for (;;) {
      const index = this.#stops.findIndex((one) => isOf(one, runner));
      if (index >= 0) return this.#stops.splice(index, 1)[0];
      if (!(await this.#isStopFirst(deadline)) && performance.now() >= deadline) return undefined;
    }
  }

  async halt(): Promise<void> {
    this.#alarm.ring();
  }

  /** False at the deadline, or if woken. True may also mean stops that were taken already. */
  async #isStopFirst(deadline: number): Promise<boolean> {
    const happened = new Promise<void>((resolve) => {
      this.#onStop = resolve;
    });
    this.#checkConnection();
    const isFirst = await this.#alarm.isFirst(happened, deadline);
    this.#onStop = undefined;
    this.#checkConnection();
    return isFirst;
  }

  #checkConnection(): void {
    if (this.#stub.lost) throw this.#stub.lost;
    if (this.#failed) throw this.#failed;
  }

  async #resume(held: ReadonlySet<Runner>): Promise<void> {
    const actions: string[] = [];
    for (const [runner, name] of this.#runners) {
      if (held.has(runner) || this.#running.has(runner)) continue;
      const signal = this.#signals.get(runner);
      this.#signals.delete(runner);
      this.#running.add(runner);
      actions.push(
        `${signal === undefined ? 'c' : `C${signal.toString(16).padStart(2, '0')}`}:${name}`,
      );
    }
    this.#beganRunning ??= performance.now();
    if (actions.length > 0) await this.#stub.ask(`vCont;${actions.join(';')}`);
  }

  async #take(first: string): Promise<void> {
    for (let text = first; text !== 'OK' && text !== ''; text = await this.#stub.ask('vStopped')) {
      this.#note(parseStopReply(text));
    }
    this.#onStop?.();
  }

  #note(reply: StopReply): void {
    this.#stops.push(reply);
    if (reply.kind !== 'stop' && reply.kind !== 'thread-exit') return;
    if (reply.thread === undefined) return;
    const runner = threadNumber(reply.thread);
    this.#running.delete(runner);
    if (reply.kind === 'thread-exit') this.#runners.delete(runner);
    else this.#runners.set(runner, reply.thread);
  }
}

const isOf = (reply: StopReply, runner: Runner): boolean =>
  'thread' in reply && reply.thread !== undefined && threadNumber(reply.thread) === runner;
