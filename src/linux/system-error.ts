import { errnoName } from './errno.ts';
import { lastErrno, libcFunction } from './libc.ts';

const strerror = libcFunction('const char *strerror(int errnum)');

/**
 * A system call that failed, with everything needed to understand it from a bug report alone:
 *
 *   ptrace(PTRACE_SEIZE, 4711): EPERM (Operation not permitted)
 */
export class SystemError extends Error {
  override name = 'SystemError';
  readonly call: string;
  readonly args: readonly unknown[];
  readonly errno: number;
  /** The name of errno, as Node's own errors have it. */
  readonly code: string;

  constructor(call: string, args: readonly unknown[], errno: number) {
    super(`${call}(${args.map(shown).join(', ')}): ${errnoName(errno)} (${strerror(errno)})`);
    this.call = call;
    this.args = args;
    this.errno = errno;
    this.code = errnoName(errno);
  }
}

/** Passes a non-negative result through and throws for a negative one. Must directly follow the call. */
export function checked(call: string, args: readonly unknown[], result: number): number {
  if (result < 0) throw new SystemError(call, args, lastErrno());
  return result;
}

function shown(arg: unknown): string {
  if (typeof arg === 'bigint') return `0x${BigInt.asUintN(64, arg).toString(16)}`;
  return String(arg);
}
