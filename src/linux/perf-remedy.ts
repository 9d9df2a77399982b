/** Why perf_event_open(2) was refused, and what to do about it. */
import { capabilityRemedy, setting, settingRemedy } from './kernel-settings.ts';

/** The highest value that lets users measure their own programs outside the kernel. */
const HIGHEST_PARANOID = 2;

/** Whether somebody has forbidden it, rather than that it is not there. */
export function isPerfForbidden(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

/** `lacking` says what to do when nobody forbids it and it still is not there. */
export function perfRemedy(error: Error, lacking: string): string {
  if (!isPerfForbidden(error)) return lacking;
  const paranoid = setting('kernel.perf_event_paranoid') ?? 0;
  if (paranoid > HIGHEST_PARANOID) {
    return settingRemedy('kernel.perf_event_paranoid', `<= ${HIGHEST_PARANOID}`, HIGHEST_PARANOID);
  }
  return capabilityRemedy('CAP_PERFMON');
}
