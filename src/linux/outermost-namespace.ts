/** Programs in the kernel see the numbers of the outermost pid namespace, which must be ours too. */
import { readlinkSync } from 'node:fs';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

/** PROC_PID_INIT_INO, <linux/proc_ns.h>. */
const OUTERMOST_PID_NAMESPACE = 'pid:[4026531836]';

export function requireOutermostNamespace(): void {
  if (readlinkSync('/proc/self/ns/pid') === OUTERMOST_PID_NAMESPACE) return;
  throw new UserError(
    'recording inside the kernel does not work from within a container',
    'start the container with --pid host, or record with ptrace instead',
    ExitStatus.unavailable,
  );
}
