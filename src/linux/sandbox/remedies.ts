/** Why a sandbox cannot be had on this machine, and what the user can do about it. */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import { setting, settingRemedy } from '../kernel-settings.ts';
import type { SystemError } from '../system-error.ts';

/** For a kernel that refuses new namespaces. */
export function namespaceRemedy(): string {
  const most = setting('user.max_user_namespaces');
  if (most === 0) return settingRemedy('user.max_user_namespaces', '> 0', 10_000);
  if (setting('kernel.unprivileged_userns_clone') === 0) {
    return settingRemedy('kernel.unprivileged_userns_clone', '1', 1);
  }
  if (setting('kernel.apparmor_restrict_unprivileged_userns') === 1) {
    return settingRemedy('kernel.apparmor_restrict_unprivileged_userns', '0', 0);
  }
  return (
    'needs the unshare command (`sudo apt-get install util-linux`) and a kernel with CONFIG_USER_NS; ' +
    'in a container: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`'
  );
}

export function overlayRemedy(): string {
  return (
    'needs Linux 5.11 or newer with overlayfs (`sudo modprobe overlay`); ' +
    'in a container: `--security-opt apparmor=unconfined`'
  );
}

export const MASKED_PROC_REMEDY =
  '/proc cannot be mounted afresh, because the container hides parts of it: start it with `--security-opt systempaths=unconfined`';

/** What a failed step of the set-up means to the user. `isAgain`: it was recorded already, and is never run without one. */
export function noSandbox(error: SystemError, isAgain = false): UserError {
  if (isAgain && error.call === 'chdir') return noFolder(error);
  const without = isAgain ? '' : '; or use --in-place, which lets the program change your files';
  return new UserError(
    `cannot make a sandbox for the program: ${error.message}`,
    `${remedyFor(error)}${without}`,
    ExitStatus.unavailable,
  );
}

/** It worked in a folder that is there no more, or not for this user. */
function noFolder({ args, message }: SystemError): UserError {
  return new UserError(
    `cannot run the program in its folder: ${message}`,
    `${args[0]} has to be there as it was when the program was recorded; put it back, or record again`,
    ExitStatus.usage,
  );
}

function remedyFor({ call, args }: SystemError): string {
  if (call !== 'mount') return namespaceRemedy();
  if (args[2] === 'overlay') return overlayRemedy();
  return args[2] === 'proc' ? MASKED_PROC_REMEDY : namespaceRemedy();
}
