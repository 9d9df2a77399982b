import { signalName } from '../../linux/signals.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { TargetEnd } from '../debug-target.ts';

/** undefined: nobody has told how it ended. */
export function targetEnd(status: number | undefined): TargetEnd {
  const end = status === undefined ? undefined : parseWaitStatus(status);
  if (end?.kind === 'exited') return { code: end.code };
  return end?.kind === 'killed' ? { signal: signalName(end.signal) } : {};
}
