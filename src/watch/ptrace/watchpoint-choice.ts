import type { Pid } from '../../linux/ids.ts';
import { canUsePerf, PerfWatchpoints } from './perf-watchpoints.ts';
import { RegisterWatchpoints } from './register-watchpoints.ts';
import type { ThreadWatchpoints } from './thread-watchpoints.ts';

/** The way that stops nobody, where kernel.perf_event_paranoid and the kernel's version allow it. */
export function chooseWatchpoints(
  process: Pid,
  wanted: ThreadWatchpoints['way'] = 'perf events',
): ThreadWatchpoints {
  const isPerf = wanted === 'perf events' && canUsePerf(process);
  return isPerf ? new PerfWatchpoints() : new RegisterWatchpoints();
}
