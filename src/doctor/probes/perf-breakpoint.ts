/** Watching a word of memory through perf, without ptrace: a word of our own is written to. */
import { tryTo } from '../../base/result.ts';
import { allocate, release } from '../../linux/native-memory.ts';
import { closeEvent, openEvent, readCount } from '../../linux/perf-event.ts';
import { perfRemedy } from '../../linux/perf-remedy.ts';
import { missing, type Probe, works } from '../probe.ts';

export const perfBreakpointProbe: Probe = {
  name: 'perf breakpoint',
  usedBy: 'watch --pid without stopping the process',
  needed: 'watchpoints on data through perf events',
  run() {
    const count = tryTo(countWrites);
    if (count.ok) return works('a watched word was written once, and counted once');
    const lacking =
      'needs CONFIG_HAVE_HW_BREAKPOINT and a machine that offers debug registers; watch uses ptrace instead';
    return missing(count.error.message, perfRemedy(count.error, lacking));
  },
};

function countWrites(): void {
  const memory = allocate(4096);
  try {
    const event = openEvent({
      event: { type: 'breakpoint', address: memory.address, size: 8, on: 'write' },
      target: 0,
    });
    try {
      memory.bytes[0] = 1;
      const count = readCount(event);
      if (count !== 1n)
        throw new Error(`a watched word was written once, and counted ${count} times`);
    } finally {
      closeEvent(event);
    }
  } finally {
    release(memory);
  }
}
