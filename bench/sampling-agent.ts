/** The agent that samples, without the command around it, and told what to leave out (`SamplingOption`). */
import { createSampling } from '../src/linux/sampling-control.ts';

/** A tick of the kernel's clock: the usual period. */
const PERIOD_NS = 4_000_000;

/** To be put before a command. `samples` must not be there yet. */
export function withSamplingAgent(samples: string, options: number): readonly string[] {
  const event = { kind: 'timer' } as const;
  const { control, channel, environment } = createSampling(samples, {
    ...{ event, period: PERIOD_NS, on: true, options },
  });
  // The files stay: nobody has to look at them while the program runs.
  control.close();
  channel.close();
  return ['env', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
}
