/** A bug of ours, as opposed to bad input or a poor machine: exit status 70. */
export class InternalError extends Error {
  override name = 'InternalError';
}

/** Stays on in production: a wrong answer costs the user more than a crash with a clear message. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/** Ends a `switch` over a union: the compiler complains here when a case was forgotten. */
export function unreachable(value: never, what: string): never {
  throw new InternalError(`${what}: case not handled: ${JSON.stringify(value)}`);
}
