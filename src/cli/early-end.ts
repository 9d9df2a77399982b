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
 * While a program is being recorded there is more to it: linux/interruption.ts.
 */
import { dieBySignal } from '../linux/die-by-signal.ts';
import { ownInheritance } from '../linux/own-inheritance.ts';
import { Signal } from '../linux/signals.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const HINT_AFTER_MS = 1000;

export class EarlyEnd {
  readonly #controller = new AbortController();
  readonly #handlers: readonly (readonly [NodeJS.Signals, () => void])[];
  readonly #beforeDying: () => void;
  #signal: number | undefined;
  #hint: NodeJS.Timeout | undefined;

  /** `beforeDying` has to be quick: it is called when we end at once. */
  constructor(beforeDying: () => void = () => {}) {
    this.#beforeDying = beforeDying;
    // Node has forgotten what nohup told it to ignore.
    const { ignoredSignals } = ownInheritance();
    this.#handlers = SIGNALS.map((name) => {
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
    if (this.#signal !== undefined) {
      this.#beforeDying();
      dieBySignal(signal);
      return;
    }
    this.#signal = signal;
    this.#hint = setTimeout(() => {
      process.stderr.write('deadheat: ending what is running; Ctrl-C again ends all at once\n');
    }, HINT_AFTER_MS);
    this.#controller.abort();
  }
}
