/** What is known of library functions by their names, beside what they do to locks. */

/** They do not return; what follows a call of them is not its continuation. */
const NEVER_RETURN: ReadonlySet<string> = new Set([
  ...['abort', 'exit', '_exit', '_Exit', 'quick_exit', '__assert_fail', '__assert_perror_fail'],
  ...['__stack_chk_fail', '__chk_fail', '__fortify_fail', 'err', 'errx', 'verr', 'verrx'],
  ...['pthread_exit', 'thrd_exit', 'longjmp', '_longjmp', 'siglongjmp', '__longjmp_chk'],
  ...['__cxa_throw', '__cxa_rethrow', '_Unwind_Resume', '__cxa_bad_cast', '__cxa_bad_typeid'],
  ...['__cxa_throw_bad_array_new_length', '__cxa_call_unexpected', '__cxa_pure_virtual'],
  ...['_ZSt9terminatev', '__clang_call_terminate', '__libc_start_main'],
]);

/** std::__throw_length_error and its many kin. */
const isThrowHelper = (name: string): boolean => /^_ZSt\d+__throw_/.test(name);

export const neverReturns = (name: string): boolean =>
  NEVER_RETURN.has(name) || isThrowHelper(name);

const THROWING: ReadonlySet<string> = new Set(['__cxa_throw', '__cxa_rethrow', '_Unwind_Resume']);
/** Destructors of memory; and what std::mutex throws, which then has not got the lock. */
const NOT_THROWING = /^_Zd[la]Pv|^_ZSt9terminatev$|^_ZSt20__throw_system_errori$/;

/** Any function of C++, unless it is known better; those of C do not. */
export const mayThrow = (name: string): boolean =>
  THROWING.has(name) || (name.startsWith('_Z') && !NOT_THROWING.test(name));

/** By them a thread gets somewhere else than where the code says, and its section stays behind. */
const LEAVING: ReadonlyMap<string, string> = new Map([
  ...['longjmp', '_longjmp', 'siglongjmp', '__longjmp_chk'].map(
    (name) => [name, 'jumps out of functions'] as const,
  ),
  ...['setjmp', '_setjmp', 'sigsetjmp', '__sigsetjmp'].map(
    (name) => [name, 'may return a second time'] as const,
  ),
  ...['setcontext', 'swapcontext', 'getcontext', 'makecontext'].map(
    (name) => [name, 'changes stacks'] as const,
  ),
  ...['pthread_exit', 'thrd_exit'].map((name) => [name, 'ends the thread'] as const),
  ['vfork', 'may return a second time'],
]);

/** Why a section that calls it cannot be isolated. */
export const leavingBy = (name: string): string | undefined => LEAVING.get(name);

const PASSING_TIME: ReadonlySet<string> = new Set([
  ...['sched_yield', 'pthread_yield', 'thrd_yield', 'usleep', 'sleep', 'nanosleep'],
]);

export const passesTime = (name: string): boolean => PASSING_TIME.has(name);

/** By the prefix of what they import: programs that another instrumenter has been at. */
const INSTRUMENTERS: readonly (readonly [string, string])[] = [
  ['__tsan_', 'ThreadSanitizer'],
  ['__asan_', 'AddressSanitizer'],
  ['__msan_', 'MemorySanitizer'],
  ['__hwasan_', 'HWAddressSanitizer'],
];

export function instrumenterOf(names: Iterable<string>): string | undefined {
  for (const name of names) {
    const found = INSTRUMENTERS.find(([prefix]) => name.startsWith(prefix));
    if (found) return found[1];
  }
  return undefined;
}
