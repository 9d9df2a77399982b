import { libcFunction } from './libc.ts';
import { syscallNumber } from './syscalls.ts';
import { checked } from './system-error.ts';

const syscall = libcFunction(
  'long syscall(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)',
);

type Word = number | bigint;

/**
 * A system call by name, for those that glibc has no wrapper for. `shownAs` replaces the
 * arguments in the error, where a name says more than an address does.
 */
export function rawSyscall(
  name: string,
  args: readonly Word[],
  shownAs: readonly unknown[] = args,
): number {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args.map(unsigned);
  return checked(name, shownAs, Number(syscall(syscallNumber(name), a, b, c, d, e, f)));
}

/** -1 becomes 0xffffffffffffffff, which is how C would pass it. */
function unsigned(word: Word): Word {
  return word < 0 ? BigInt.asUintN(64, BigInt(word)) : word;
}
