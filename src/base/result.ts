/**
 * A value, or the reason there is none: for what is *expected* to fail now and then (a probe of
 * the machine, a file the user named). Our own bugs are thrown, loudly, with `assert`.
 */
export type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error });

/** Runs `attempt` and turns what it throws into the error side. */
export function tryTo<T>(attempt: () => T): Result<T> {
  try {
    return ok(attempt());
  } catch (thrown) {
    return err(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}
