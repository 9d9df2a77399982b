/** The agent, tried by loading it into a program that nobody prepared for it. */
import { openAgentChannel } from '../../linux/agent-channel.ts';
import { runCommand } from '../command.ts';
import { missing, type Probe, works } from '../probe.ts';
import { withScratchFolder } from '../scratch-folder.ts';

export const agentProbe: Probe = {
  name: 'agent',
  usedBy: 'threads, sample, tolerate',
  needed: 'a small library of ours that can be loaded into dynamically linked programs',
  run: (signal) =>
    withScratchFolder(async (folder) => {
      const channel = openAgentChannel(folder, 4096);
      try {
        const run = await runCommand('true', [], { signal, env: channel.environment });
        const greetings = [...channel.records()].length;
        if (run.code === 0 && greetings === 1)
          return works('loaded into `true`, and heard from it');
        return missing(
          `loaded into \`true\`, heard ${greetings} greetings, exit status ${run.code} ${run.complaint}`,
          'check that LD_PRELOAD is allowed here and that `true` is dynamically linked',
        );
      } finally {
        channel.close();
      }
    }),
};
