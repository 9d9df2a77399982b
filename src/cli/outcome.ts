/**
 * How a command ends: with a status of ours, or the way its target did. Commands return an
 * `Outcome` from their action; only this file touches our own exit.
 */
export type Outcome = { status: number } | { signal: number };

/** Wraps a command's action, so that what it returns becomes our exit. */
export function endingWith<Args extends unknown[]>(
  action: (...args: Args) => Promise<Outcome> | Outcome,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const outcome = await action(...args);
    if ('status' in outcome) {
      process.exitCode = outcome.status;
      return;
    }
    const { dieBySignal } = await import('../linux/die-by-signal.ts');
    dieBySignal(outcome.signal);
  };
}
