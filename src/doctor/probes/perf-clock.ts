/** Samples taken by the CPU clock: instruction and registers of a thread, into a mapped ring. */
import { tryTo } from '../../base/result.ts';
import { mapShared, release } from '../../linux/native-memory.ts';
import { closeEvent, openEvent, SampleField } from '../../linux/perf-event.ts';
import { perfRemedy } from '../../linux/perf-remedy.ts';
import { burn } from '../burn.ts';
import { missing, type Probe, works } from '../probe.ts';

/** The sixteen general registers, the instruction pointer and flags: <asm/perf_regs.h>. */
const GENERAL_REGISTERS = 0xff_0fffn;
const SAMPLES_A_SECOND = 1000;
const BUSY_MS = 20;
const PAGE = 4096;
/** `data_head` of `struct perf_event_mmap_page`, <linux/perf_event.h>. */
const HEAD_AT = 1024;

export const perfClockProbe: Probe = {
  name: 'perf clock',
  usedBy: 'sample, watch',
  needed: 'samples of a thread’s instructions and registers by the CPU clock',
  run() {
    const bytes = tryTo(takeSamples);
    if (bytes.ok) return works(`${bytes.value} bytes of samples in ${BUSY_MS} ms of CPU time`);
    const lacking = 'needs a kernel with CONFIG_PERF_EVENTS';
    return missing(bytes.error.message, perfRemedy(bytes.error, lacking));
  },
};

function takeSamples(): bigint {
  const event = openEvent({
    event: { type: 'software', name: 'cpu-clock' },
    target: 0,
    every: { perSecond: SAMPLES_A_SECOND },
    sample: SampleField.instruction | SampleField.thread | SampleField.userRegisters,
    userRegisters: GENERAL_REGISTERS,
  });
  try {
    const ring = mapShared(event, 2 * PAGE);
    burn(BUSY_MS);
    const written = ring.bytes.readBigUInt64LE(HEAD_AT);
    release(ring);
    if (written === 0n) throw new Error('the CPU clock opens, but takes no samples');
    return written;
  } finally {
    closeEvent(event);
  }
}
