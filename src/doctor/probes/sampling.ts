/** Sampling, tried on a shell that counts: by which event, and whether any sample comes of it. */
import { join } from 'node:path';
import { chooseEvent } from '../../sample/choose-event.ts';
import { createSamplesFolder } from '../../sample/samples-folder.ts';
import { runCommand } from '../command.ts';
import { missing, type Probe, works } from '../probe.ts';
import { withScratchFolder } from '../scratch-folder.ts';

/** Some tenths of a second. */
const BUSY = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';
const MOST_LOG = 1 << 26;

export const samplingProbe: Probe = {
  name: 'sampling',
  usedBy: 'sample',
  needed: 'samples of a program’s threads, by hardware counters or a timer',
  run: (signal) =>
    withScratchFolder(async (folder) => {
      const event = chooseEvent(undefined);
      const settings = { on: true, stacks: false, maxLogBytes: MOST_LOG };
      const { samples, environment } = createSamplesFolder(
        join(folder, 'samples'),
        event,
        settings,
      );
      try {
        const run = await runCommand('sh', ['-c', BUSY], { signal, env: environment });
        const taken = samples.figures().samples;
        if (run.code === 0 && taken > 0) {
          return works(`${taken} samples of a busy shell, by ${event.kind} (${event.why})`);
        }
        const heard = samples.records().length > 0 ? 'the agent was there' : 'no agent was loaded';
        return missing(
          `no samples of a busy shell by ${event.kind}; ${heard}, exit status ${run.code} ${run.complaint}`,
          'check that LD_PRELOAD is allowed here and that `sh` is dynamically linked',
        );
      } finally {
        samples.close();
      }
    }),
};
