/**
 * What must be done before we end, however that comes: at our exit, for an error of ours that nobody has caught, or
 * right before we die of a signal (linux/die-by-signal.ts). A process that we have attached to outlives us: breakpoints
 * of ours that were left in it would kill it.
 *
 *   const forget = beforeWeEnd(() => this.#leave());
 *   …
 *   this.#leave(); forget();
 *
 * Not even this is done when we are killed (SIGKILL), or when Node itself comes to grief, as without memory.
 */
type LastAct = () => void | Promise<void>;

const acts = new Set<LastAct>();

/** What it returns undoes that. An act that takes its time has only as much of it as the one who ends us gives. */
export function beforeWeEnd(act: LastAct): () => void {
  if (acts.size === 0) process.on('exit', doLastActs);
  acts.add(act);
  return () => {
    if (acts.delete(act) && acts.size === 0) process.off('exit', doLastActs);
  };
}

/** Each is done once. What is returned is fulfilled when those are done that take their time; undefined if none does. */
export function doLastActs(): Promise<unknown> | undefined {
  const begun = [...acts].flatMap((act) => {
    acts.delete(act);
    try {
      return act() ?? [];
    } catch {
      // The others are to be done as well, and nobody is left to be told.
      return [];
    }
  });
  process.off('exit', doLastActs);
  return begun.length > 0 ? Promise.allSettled(begun) : undefined;
}
