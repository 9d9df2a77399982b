/**
 * Why a thread may get out of a section at any instruction, whichever section that is: then no copies can be kept of
 * what it does. Cancelled anywhere, it may be so between two of the stores that end the section; and what a signal
 * handler takes it away from with longjmp is left behind in the copies.
 */
import type { Imports } from '../../binary/elf/imports.ts';

const JUMPS: readonly string[] = ['longjmp', '_longjmp', 'siglongjmp', '__longjmp_chk'];
const HANDLERS: readonly string[] = [
  ...['sigaction', 'signal', 'bsd_signal', 'sysv_signal', '__sysv_signal', 'sigset'],
];

export function suddenEnds({ slots }: Imports): string | undefined {
  const names = new Set(slots.values());
  if (names.has('pthread_setcanceltype')) {
    return 'the program may cancel threads at any instruction (pthread_setcanceltype)';
  }
  const jump = JUMPS.find((name) => names.has(name));
  return jump !== undefined && HANDLERS.some((name) => names.has(name))
    ? `a signal handler may jump out of it (${jump})`
    : undefined;
}
