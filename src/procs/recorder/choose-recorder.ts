/**
 * Which recorder to use: the one in the kernel, which programs do not feel, where it is allowed;
 * otherwise ptrace.
 */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import { closeBpf, createMap } from '../../linux/bpf.ts';
import { requireOutermostNamespace } from '../../linux/outermost-namespace.ts';

export type RecorderName = 'bpf' | 'ptrace';
export type RecorderChoice = RecorderName | 'auto';

export interface ChosenRecorder {
  name: RecorderName;
  /** Why the faster one was not taken, for the user. */
  because?: string;
}

/** `remedy` is what the user can do if the choice cannot be had. */
export function chooseRecorder(
  choice: RecorderChoice,
  remedy = 'run as root, or use --recorder ptrace',
): ChosenRecorder {
  if (choice === 'ptrace') return { name: 'ptrace' };
  const obstacle = obstacleToBpf();
  if (obstacle === undefined) return { name: 'bpf' };
  if (choice === 'auto') return { name: 'ptrace', because: obstacle };
  throw new UserError(`cannot record with eBPF: ${obstacle}`, remedy, ExitStatus.unavailable);
}

/** Found out by trying: the recorder needs maps of this kind. */
function obstacleToBpf(): string | undefined {
  try {
    requireOutermostNamespace();
    const entries = { keySize: 4, valueSize: 8, entries: 1, name: 'deadheat_try' };
    closeBpf(createMap({ type: 'hash', ...entries }));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EPERM' ? 'eBPF needs root, or CAP_BPF and CAP_PERFMON' : message;
  }
}
