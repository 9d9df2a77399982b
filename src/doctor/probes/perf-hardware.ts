/** Hardware counters, and whether they can name the very instruction (Intel's PEBS, AMD's IBS). */
import { readFileSync } from 'node:fs';
import { tryTo } from '../../base/result.ts';
import {
  closeEvent,
  type EventOptions,
  openEvent,
  readCount,
  SampleField,
} from '../../linux/perf-event.ts';
import { perfRemedy } from '../../linux/perf-remedy.ts';
import { burn } from '../burn.ts';
import { limited, missing, type Probe, works } from '../probe.ts';

const IBS_TYPE = '/sys/bus/event_source/devices/ibs_op/type';
const EVERY = { events: 1_000_000 };
const SAMPLE = SampleField.instruction | SampleField.address;

export const perfHardwareProbe: Probe = {
  name: 'perf hardware',
  usedBy: 'sample',
  needed: 'hardware counters that name the sampled instruction exactly (PEBS or IBS)',
  run() {
    const counted = tryTo(countInstructions);
    if (!counted.ok) return missing(counted.error.message, perfRemedy(counted.error, NO_COUNTERS));
    const found = `counted ${counted.value} instructions`;
    const exactness = bestExactness();
    if (exactness !== undefined) return works(`${found}; exact samples by ${exactness}`);
    return limited(`${found}, but no exact samples`, NO_EXACT_SAMPLES);
  },
};

const NO_COUNTERS =
  'none here, as in most virtual machines: use bare metal, or pass the counters through (QEMU: `-cpu host,pmu=on`); sample uses a timer instead';
const NO_EXACT_SAMPLES =
  'needs an Intel processor with PEBS or an AMD one with IBS, passed through to virtual machines; sample only counts instructions then';

function countInstructions(): bigint {
  const event = openEvent({ event: { type: 'hardware', name: 'instructions' }, target: 0 });
  try {
    burn(2);
    const count = readCount(event);
    if (count === 0n) throw new Error('the instruction counter opens, but counts nothing');
    return count;
  } finally {
    closeEvent(event);
  }
}

function bestExactness(): string | undefined {
  for (const precise of [3, 2, 1] as const) {
    const event = { type: 'hardware', name: 'cycles' } as const;
    if (opens({ event, target: 0, every: EVERY, sample: SAMPLE, precise })) {
      return `precise_ip ${precise}`;
    }
  }
  const pmu = tryTo(() => Number(readFileSync(IBS_TYPE, 'utf8')));
  if (!pmu.ok) return undefined;
  const event = { type: 'raw', config: 0n, pmu: pmu.value } as const;
  const ibs = { event, target: 0, every: EVERY, sample: SAMPLE, includeKernel: true } as const;
  return opens(ibs) ? 'ibs_op' : undefined;
}

function opens(options: EventOptions): boolean {
  return tryTo(() => closeEvent(openEvent(options))).ok;
}
