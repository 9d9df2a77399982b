/**
 * The one place where the C library is loaded. A function is declared by its C prototype and
 * called through `checked` (system-error.ts), which turns -1 into an error that explains itself:
 *
 *   const kill = libcFunction('int kill(int pid, int sig)');
 *   checked('kill', [pid, signal], kill(pid, signal));
 *
 * Pointers are passed as plain addresses (`uintptr_t`, bigint): what they point at lives in
 * `NativeMemory`, whose address never changes.
 */
import koffi from 'koffi';

const libc = koffi.load('libc.so.6');

// biome-ignore lint/suspicious/noExplicitAny: the prototype is a string, so only the caller knows the types.
type NativeFunction = (...args: any[]) => any;

export function libcFunction(prototype: string): NativeFunction {
  return libc.func(prototype);
}

/** Only meaningful directly after a call that failed. */
export function lastErrno(): number {
  return koffi.errno();
}
