/**
 * Ctrl-C and its relatives while a program of ours is running. The first one is the program's to
 * handle, as it would be without us; whatever of its tree is left five seconds later is killed, or
 * at the second one. What was recorded until then is kept.
 */
import { tryTo } from '../base/result.ts';
import type { Tid } from './ids.ts';
import { inProgramGroup } from './program-group.ts';
import { processStat } from './running-process.ts';
import { Signal, sendSignal } from './signals.ts';

/** What there is to end. */
export interface Interruptible {
  /** Some task of the tree that is alive; undefined before the first and after the last. */
  readonly alive: Tid | undefined;
  /** The signal by which the user asked for the end. */
  interruptedBy: number | undefined;
  /** Nobody of the tree is to be left. */
  demandEnd(): void;
}

export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const GRACE_MS = 5000;
const HINT_AFTER_MS = 1000;
const RETRY_MS = 20;

export class Interruption {
  readonly #program: Interruptible;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #handlers: readonly (readonly [NodeJS.Signals, () => void])[];

  #timeIsUp = false;

  /**
   * A signal that we were told to ignore, as by nohup, is ignored here too. After `afterMs`, if
   * given, the program is ended as by Ctrl-C.
   */
  constructor(program: Interruptible, ignoredSignals: readonly number[], afterMs?: number) {
    this.#program = program;
    if (afterMs !== undefined) this.#after(afterMs, () => this.#endInTime());
    const handlers = ENDING_SIGNALS.map((name) => {
      const isIgnored = ignoredSignals.includes(Signal[name]);
      return [name, isIgnored ? () => {} : () => this.#interrupt(Signal[name])] as const;
    });
    // Ctrl-\\ is the program's affair altogether: Java answers it with a list of its threads.
    this.#handlers = [...handlers, ['SIGQUIT', () => {}]];
    for (const [name, handler] of this.#handlers) process.on(name, handler);
  }

  stopListening(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const [name, handler] of this.#handlers) process.off(name, handler);
  }

  /** The program is not needed any more: it is ended as by Ctrl-C, and killed if it does not heed that. */
  endProgram(): void {
    this.#endInTime();
  }

  get timeIsUp(): boolean {
    return this.#timeIsUp;
  }

  #endInTime(): void {
    if (this.#program.interruptedBy !== undefined || this.#timeIsUp) return;
    this.#timeIsUp = true;
    this.#interruptGroup();
    this.#after(GRACE_MS, () => this.#killTree());
  }

  /** As the terminal does. */
  #interruptGroup(): void {
    const task = this.#program.alive;
    if (task === undefined) return this.#after(RETRY_MS, () => this.#interruptGroup());
    const reached = inProgramGroup(task);
    if (reached.length === 0) return this.#send(Signal.SIGINT);
    // Some may be gone already, and those of other users do not hear us.
    for (const process of reached) void tryTo(() => sendSignal(process, Signal.SIGINT));
  }

  #interrupt(signal: number): void {
    if (this.#program.interruptedBy !== undefined) return this.#killTree();
    this.#program.interruptedBy = signal;
    // From the keyboard it reached the whole foreground group; a second copy would be one too many.
    const fromKeyboard = signal !== Signal.SIGTERM && isInForeground();
    if (!fromKeyboard) this.#send(signal);
    this.#after(HINT_AFTER_MS, () => {
      process.stderr.write('deadheat: waiting for the program to end; Ctrl-C again kills it\n');
    });
    this.#after(GRACE_MS, () => this.#killTree());
  }

  /** Who records with ptrace is woken by the killed task's stop, and then kills all the others. */
  #killTree(): void {
    this.#program.demandEnd();
    this.#send(Signal.SIGKILL);
  }

  #send(signal: number): void {
    const task = this.#program.alive;
    // The program has not been started yet.
    if (task === undefined) return this.#after(RETRY_MS, () => this.#send(signal));
    try {
      sendSignal(task, signal);
    } catch {
      // Already gone: then the recording thread is awake anyway.
    }
  }

  #after(milliseconds: number, act: () => void): void {
    this.#timers.push(setTimeout(act, milliseconds));
  }
}

/** Whether keys typed at the terminal make signals for our process group. */
function isInForeground(): boolean {
  const own = processStat('self');
  return own !== undefined && own.group === own.foregroundGroup;
}
