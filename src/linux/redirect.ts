/** Gives a program other standard files before it starts, as a shell does for `>file`. */

import { assert } from '../base/assert.ts';
import { errnoName } from './errno.ts';
import type { Tid } from './ids.ts';
import { injectSyscall, runToSyscallStop } from './inject.ts';

/**
 * The descriptors of `files` become 0, 1 and 2 and are closed. The tracee has inherited them, stands
 * at the entry of a system call, and will stand there again.
 */
export function redirect(
  tracee: Tid,
  { stdin, output }: { readonly stdin: number; readonly output: number },
): void {
  const call = (name: string, ...args: readonly number[]): void => {
    const result = injectSyscall(tracee, { name, args });
    runToSyscallStop(tracee, []);
    assert(result >= 0, `${name}(${args.join(', ')}): ${errnoName(-result)}`);
  };
  call('dup2', stdin, 0);
  call('dup2', output, 1);
  call('dup2', output, 2);
  for (const fd of [stdin, output]) if (fd > 2) call('close', fd);
}
