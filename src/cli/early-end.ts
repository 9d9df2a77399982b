/**
 * Ctrl-C and its relatives while races are tried. The first one asks for an early end: what is running
 * is ended, what was found is told, and then we die of the signal, as the user wanted. The second one
 * ends us at once; the kernel then ends every sandbox (linux/sandbox/sandbox.ts).
 *
 *   $ deadheat validate
 *   ^C … deadheat: warning: interrupted: 3 of 5 races were not tried …
 *   $ echo $?
 *   130
 *
 * While a program is being recorded there is more to it: linux/interruption.ts. What outlives us and has something of
 * ours in it is let go first, even at the second one (base/last-acts.ts); and since whatever else ends us would leave
 * that in it, other signals are heard as well then.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { doLastActs } from '../base/last-acts.ts';
import { dieBySignal } from '../linux/die-by-signal.ts';
import { ownInheritance } from '../linux/own-inheritance.ts';
import { Signal } from '../linux/signals.ts';

const USUAL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * All that end a process which does not expect them, signal(7), and can be heard. Of SIGSEGV and its like we cannot go
 * on, SIGUSR1 is Node's (main.ts), and of real-time signals it has no names.
 */
export const ALL_SIGNALS = [
  ...USUAL_SIGNALS,
  ...(['SIGQUIT', 'SIGABRT', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGXCPU'] as const),
  ...(['SIGIO', 'SIGPWR', 'SIGSTKFLT', 'SIGSYS', 'SIGTRAP'] as const),
] as const;
const HINT_AFTER_MS = 1000;
/** For last acts that take their time. */
const LONGEST_FAREWELL_MS = 2000;

export interface EarlyEndOptions {
  readonly signals?: readonly NodeJS.Signals[];
  /** It has to be quick: it is called when we end at once. */
  readonly beforeDying?: () => void;
}

export class EarlyEnd {
  readonly #controller = new AbortController();
  readonly #handlers: readonly (readonly [NodeJS.Signals, () => void])[];
  readonly #beforeDying: () => void;
  #signal: number | undefined;
  #hint: NodeJS.Timeout | undefined;
  #isDying = false;

  constructor({ signals = USUAL_SIGNALS, beforeDying = () => {} }: EarlyEndOptions = {}) {
    this.#beforeDying = beforeDying;
    // Node has forgotten what nohup told it to ignore.
    const { ignoredSignals } = ownInheritance();
    this.#handlers = signals.map((name) => {
      const isIgnored = ignoredSignals.includes(Signal[name]);
      return [name, isIgnored ? () => {} : () => this.#end(Signal[name])] as const;
    });
    for (const [name, handler] of this.#handlers) process.on(name, handler);
  }

  /** Fires at the first signal. */
  get stop(): AbortSignal {
    return this.#controller.signal;
  }

  /** The signal by which the user asked for the end. */
  get signal(): number | undefined {
    return this.#signal;
  }

  stopListening(): void {
    clearTimeout(this.#hint);
    for (const [name, handler] of this.#handlers) process.off(name, handler);
  }

  #end(signal: number): void {
    if (this.#signal !== undefined) return this.#endAtOnce(signal);
    this.#signal = signal;
    this.#hint = setTimeout(() => {
      process.stderr.write('deadheat: ending what is running; Ctrl-C again ends all at once\n');
    }, HINT_AFTER_MS);
    this.#controller.abort();
  }

  #endAtOnce(signal: number): void {
    if (this.#isDying) return;
    this.#isDying = true;
    this.#beforeDying();
    const farewell = doLastActs();
    if (farewell === undefined) return dieBySignal(signal);
    void Promise.race([farewell, sleep(LONGEST_FAREWELL_MS)]).then(() => dieBySignal(signal));
  }
}
