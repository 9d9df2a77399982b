/** Why perf_event_open(2) was refused, for the three probes that use it. */

import { capabilityRemedy, setting, settingRemedy } from '../linux/kernel-settings.ts';
import { errorCode } from './error-code.ts';

/** The highest value that lets users measure their own programs outside the kernel. */
const HIGHEST_PARANOID = 2;

/** `lacking` says what to do when nobody forbids it and it still is not there. */
export function perfRemedy(error: Error, lacking: string): string {
  const code = errorCode(error);
  if (code !== 'EACCES' && code !== 'EPERM') return lacking;
  const paranoid = setting('kernel.perf_event_paranoid') ?? 0;
  if (paranoid > HIGHEST_PARANOID) {
    return settingRemedy('kernel.perf_event_paranoid', `<= ${HIGHEST_PARANOID}`, HIGHEST_PARANOID);
  }
  return capabilityRemedy('CAP_PERFMON');
}

/** Keeps this thread busy for that much CPU time. */
export function burn(milliseconds: number): void {
  const start = process.cpuUsage();
  const deadline = performance.now() + 50 * milliseconds;
  while (performance.now() < deadline) {
    const { user, system } = process.cpuUsage(start);
    if (user + system > 1000 * milliseconds) return;
  }
}
