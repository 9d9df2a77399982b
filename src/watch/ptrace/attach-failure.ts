/** Why a process cannot be attached to, and what to do about it; in the order in which ptrace(2) checks. */

import { basename } from 'node:path';
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import type { Pid } from '../../linux/ids.ts';
import { capabilityRemedy, setting, settingRemedy } from '../../linux/kernel-settings.ts';
import { runningProgram, statusField } from '../../linux/running-process.ts';
import { SystemError } from '../../linux/system-error.ts';

const YAMA = 'kernel.yama.ptrace_scope';

/** `error`: what PTRACE_SEIZE said. */
export function attachFailure(target: Pid, error: unknown): unknown {
  if (!(error instanceof SystemError)) return error;
  if (error.code === 'ESRCH') {
    return new UserError(`process ${target} has ended already`, 'name one that runs');
  }
  const [reason, remedy] = causeOf(target, error);
  const message = `cannot attach to process ${target}: ${reason}`;
  return new UserError(message, remedy, ExitStatus.unavailable);
}

function causeOf(target: Pid, error: SystemError): readonly [reason: string, remedy: string] {
  const tracer = statusField(target, 'TracerPid') ?? 0;
  if (tracer !== 0) {
    const program = basename(runningProgram(tracer as Pid).path);
    const shown = program === '' ? '' : ` (${program})`;
    return [`process ${tracer}${shown} traces it already`, 'end that one, or have it detach'];
  }
  const owner = statusField(target, 'Uid');
  const own = process.getuid?.() ?? 0;
  const remedy = capabilityRemedy('CAP_SYS_PTRACE');
  if (owner !== undefined && owner !== own && own !== 0) {
    return [`it is of user ${owner}, and you are user ${own}`, remedy];
  }
  const scope = setting(YAMA) ?? 0;
  if (scope >= 3) return [`${YAMA} is ${scope}, so nobody may`, 'it stays so until the next boot'];
  if (scope === 2) return [`${YAMA} is 2, so only root may`, remedy];
  if (scope === 1) {
    return [
      `${YAMA} is 1, so only its ancestors may`,
      `${settingRemedy(YAMA, '0', 0)}; or start the program with deadheat watch -- CMD`,
    ];
  }
  return [`${error.message} (it may have more rights than you)`, remedy];
}
