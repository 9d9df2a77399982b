/**
 * SIGTRAP that is on its way to a thread when we want to let it go. Perhaps it has come to a breakpoint that is
 * there no longer, and nobody has seen it yet: without a tracer the signal would end the program. So the thread goes
 * on with us, and is let go when the signal has come.
 *
 * If the thread has it blocked, as it may with that of a watchpoint, it has to be let through for that:
 *
 *   pending SIGTRAP, blocked SIGTRAP      unblocked, and it goes on
 *   stops with SIGTRAP                    blocked again; what is not ours comes back to wait, says ptrace(2)
 */
import type { Tid } from '../linux/ids.ts';
import { blockedSignals, setBlockedSignals } from '../linux/ptrace.ts';
import { hasSignal, signalSet, signalSetsOf } from '../linux/signal-sets.ts';
import { Signal } from '../linux/signals.ts';

const TRAP = signalSet([Signal.SIGTRAP]);

export class LateTraps {
  /** What they had blocked; those whose trap comes again are known to be not ours. */
  readonly #unblocked = new Map<Tid, bigint>();
  readonly #seen = new Set<Tid>();

  /** `task` stands; if so, it has to go on until it stops with SIGTRAP. */
  isComing(task: Tid): boolean {
    const sets = signalSetsOf(task);
    if (sets === undefined || !hasSignal(sets('SigPnd'), Signal.SIGTRAP)) return false;
    if (!hasSignal(sets('SigBlk'), Signal.SIGTRAP)) return true;
    if (this.#seen.has(task)) return false;
    const blocked = blockedSignals(task);
    this.#unblocked.set(task, blocked);
    setBlockedSignals(task, blocked & ~TRAP);
    return true;
  }

  /** It has stopped with SIGTRAP. */
  came(task: Tid): void {
    const blocked = this.#unblocked.get(task);
    if (blocked === undefined) return;
    this.#unblocked.delete(task);
    this.#seen.add(task);
    setBlockedSignals(task, blocked);
  }
}
